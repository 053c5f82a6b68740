import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Much of it waits for child processes; by default one processor would be left idle.
    maxWorkers: '100%',
    // Many tests hold whole files in buffers, which have the heap marked again and again: by default
    // by as many threads as there are, which spend much of their time on each other.
    execArgv: [
      '--no-parallel-marking',
      '--no-parallel-scavenge',
      '--no-parallel-compaction',
      '--no-parallel-pointer-update',
    ],
    // Hundreds of them are the program itself: compiled once, it starts in half the time.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    projects: [
      {
        test: {
          name: 'unit',
          // They are small and many: a process for each file would load the engine anew each time.
          // No test leaves anything behind that others could see.
          isolate: false,
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
