import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Much of it waits for child processes; by default one processor would be left idle.
    maxWorkers: '100%',
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
