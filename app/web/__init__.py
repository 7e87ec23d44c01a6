"""The FastAPI application: guard, caches, API routes and pages."""
