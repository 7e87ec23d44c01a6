"""XLA, or any other engine, beside ours: whether results agree, and where and through whom they part."""
