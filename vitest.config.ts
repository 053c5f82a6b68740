import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { Progress } from './test/proof/progress.ts'
import { ProofReporter, type ProvedFile } from './test/proof/report.ts'
import { OWN_PLACES, SHARED_FILES } from './test/shared-suites.ts'

// Each run has all files of the one before. What takes long is named after the first run that has it;
// test/depth.ts gives higher counts to the last two.
const CI_FILES = '**/*.ci.test.ts'
const EXHAUSTIVE_FILES = '**/*.exhaustive.test.ts'

/** What a run leaves out, by its mode. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  ci: [EXHAUSTIVE_FILES],
  shared: [EXHAUSTIVE_FILES],
  'shared-state': [EXHAUSTIVE_FILES],
  'shared-bytes': [EXHAUSTIVE_FILES],
  exhaustive: [],
  long: [],
}

/** What a file says that has more to prove where the public test data is. */
const TAKES_PUBLIC_DATA = /available\.shared|publicData\(/

/**
 * Files that need not run once more: a run that left a report here proved them whole. `.ci/run` says so
 * of the one in the newcomer's clone, which has no public test data.
 */
function provedFiles(path = process.env.PROVED_IN): readonly string[] {
  if (path === undefined) return []
  const { files } = JSON.parse(readFileSync(path, 'utf8')) as { readonly files: ProvedFile[] }
  return files
    .filter(({ failed, skipped }) => failed === 0 && skipped === 0)
    .map((file) => file.path)
    .filter((file) => !TAKES_PUBLIC_DATA.test(readFileSync(file, 'utf8')))
}

const each = (mode: string) => ({
  // Whatever takes so long hangs; a busy machine is no failure. The long form has a million cases in one test.
  testTimeout: mode === 'long' ? 3_600_000 : 300_000,
  hookTimeout: mode === 'long' ? 3_600_000 : 300_000,
  expect: { poll: { timeout: 60_000 } },
  // Node runs all of it as it stands, as it does for users: nothing is rewritten, which makes the engine
  // slower, or sent from process to process.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  runner: './test/proof/runner.ts',
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
  const leftOut = LEFT_OUT[mode] ?? [CI_FILES, EXHAUSTIVE_FILES]
  const exclude = [...configDefaults.exclude, ...leftOut, ...provedFiles()]
  const run = LEFT_OUT[mode] ? mode : 'usual'
  return {
    test: {
      globalSetup: [
        'test/requirements.ts',
        'test/run-folder.ts',
        'test/kernels.ts',
        ...(run === 'usual' ? [] : ['test/object-gateway.ts']),
        ...(sharedSetups ?? []),
      ],
      reporters: ['default', new Progress(), new ProofReporter(run, process.env.PROOF_REPORT)],
      // Of this process and its threads of tests alone: what child processes run does not count.
      coverage: {
        include: ['{bin,engine,server,workers}/**/*.ts'],
        exclude: ['**/*.test.ts', '**/support/**'],
        reporter: ['text-summary', 'json-summary'],
      },
      // Much of it waits for child processes, threads, or time to pass: a fault, a server that drains.
      maxWorkers: availableParallelism() + 1,
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
      // Files share a process, for each would load engine and server anew. No test leaves anything behind
      // that others could see.
      projects: [
        {
          test: {
            name: 'unit',
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
            isolate: false,
            include: sharedSetups ? SHARED_FILES : ['test/**/*.test.ts'],
            exclude: [
              ...exclude,
              EXHAUSTIVE_FILES,
              ...(sharedSetups ? Object.keys(OWN_PLACES) : []),
            ],
            ...each(mode),
          },
        },
        {
          test: {
            // Many of them measure or end their own process.
            name: 'exhaustive',
            include: sharedSetups ? [] : ['test/**/*.exhaustive.test.ts'],
            exclude,
            ...each(mode),
          },
        },
      ],
    },
  }
})
