import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Much of it waits for child processes; by default one processor would be left idle.
    maxWorkers: '100%',
    // A process for each file would have to load the engine anew, two thirds of a second for most
    // files under test/. No test leaves anything behind that others could see.
    isolate: false,
    // Tests hold files in buffers outside of V8's heap. By default every 64 MB of them have all of
    // the heap marked, by as many threads as there are, half of the time of some tests.
    execArgv: ['--external-memory-accounted-in-global-limit', '--single-threaded-gc'],
    // Hundreds of them are the program itself: compiled once, it starts in half the time.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{bin,engine,server,workers,fixtures}/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'contract',
          include: ['test/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
