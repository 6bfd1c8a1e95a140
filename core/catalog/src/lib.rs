//! What the API offers: resources, discovery and OpenAPI documents.
