"""What is so: git, the tree, the engine, processes, transcripts: the facts that the kernel asks for."""
