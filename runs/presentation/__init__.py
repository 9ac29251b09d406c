"""What a page shows of a run: view models made from public data, and the fragments rendered from them."""
