/// Support for tests: private buses, vectors, seeded randomness.
package enum TestSupport {}
