"""Tools for agents, over the Model Context Protocol: thin answers made of what pages and commands have."""
