"""The two hosts as the command line sees them: their folders, their commands, what they say of the plugin."""
