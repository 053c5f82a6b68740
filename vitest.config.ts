import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { Progress } from './test/progress.ts'
import { OWN_PLACES, SHARED_FILES } from './test/shared-suites.ts'

// `npm test` leaves out what takes long: files named so, and the higher counts of test/depth.ts.
const EXHAUSTIVE_FILES = '**/*.exhaustive.test.ts'

const each = (mode: string) => ({
  // Whatever takes so long hangs; a busy machine is no failure. The long form has a million cases in one test.
  testTimeout: mode === 'long' ? 3_600_000 : 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  // Node runs all of it as it stands, as it does for users: nothing is rewritten, which makes the engine
  // slower, or sent from process to process.
  experimental: { viteModuleRunner: false, nodeLoader: false },
})

/** What of the tests runs with state in PostgreSQL, files in a bucket, or both. */
const SHARED_SETUPS: Readonly<Record<string, readonly string[]>> = {
  shared: ['test/shared-state.ts', 'test/shared-bytes.ts'],
  'shared-state': ['test/shared-state.ts'],
  'shared-bytes': ['test/shared-bytes.ts'],
}

export default defineConfig(({ mode }) => {
  const sharedSetups = SHARED_SETUPS[mode]
  const isExhaustive = mode === 'exhaustive' || mode === 'long'
  const exclude = [...configDefaults.exclude, ...(isExhaustive ? [] : [EXHAUSTIVE_FILES])]
  return {
    test: {
      globalSetup: ['test/requirements.ts', 'test/run-folder.ts', ...(sharedSetups ?? [])],
      reporters: ['default', new Progress()],
      // Of this process and its threads of tests alone: what child processes run does not count.
      coverage: {
        include: ['{bin,engine,server,workers}/**/*.ts'],
        exclude: ['**/*.test.ts', '**/support/**'],
        reporter: ['text-summary', 'json-summary'],
      },
      // Much of it waits for child processes; by default one processor would be left idle. Of the long
      // ones many wait for time to pass as well: a fault, a server that drains, one that is found dead.
      maxWorkers: isExhaustive ? availableParallelism() + 1 : '100%',
      // Many tests hold whole files in buffers, which have the heap marked again and again: by default
      // by as many threads as there are, which spend much of their time on each other.
      execArgv: [
        '--no-parallel-marking',
        '--no-parallel-scavenge',
        '--no-parallel-compaction',
        '--no-parallel-pointer-update',
      ],
      env: {
        // Hundreds of them are the program itself: compiled once, it starts in half the time.
        NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled'),
        TEST_DEPTH: isExhaustive ? mode : 'usual',
        // What comes out of that cache is counted less exactly.
        ...(process.argv.includes('--coverage') && { NODE_DISABLE_COMPILE_CACHE: '1' }),
      },
      projects: [
        {
          test: {
            name: 'unit',
            // They are small and many: a process for each file would load the engine anew each time.
            // No test leaves anything behind that others could see.
            isolate: false,
            include: sharedSetups
              ? []
              : ['{bin,engine,server,workers,fixtures,explorer}/**/*.test.ts'],
            exclude,
            ...each(mode),
          },
        },
        {
          test: {
            name: 'contract',
            include: sharedSetups ? SHARED_FILES : ['test/**/*.test.ts'],
            exclude: [...exclude, ...(sharedSetups ? Object.keys(OWN_PLACES) : [])],
            ...each(mode),
          },
        },
      ],
    },
  }
})
