import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { dirname, relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** The results of a file of tests. */
export interface ProvedFile {
  readonly path: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
  readonly processorSeconds: number
}

/** The results of a run of tests for `.ci/run` and for the table of proof. */
export interface ProofReport {
  /** The run: `usual`, `ci`, `exhaustive`, `long`, or the name of the shared places. */
  readonly run: string
  readonly machine: string
  /** The seconds from the start of the first file to the end of the last. */
  readonly seconds: number
  readonly files: readonly ProvedFile[]
}

const SLOWEST = 10
const GIB = 1 << 30

/** Prints the ten slowest files of a run, and writes its report to a path if given. */
export class ProofReporter implements Reporter {
  readonly #run: string
  readonly #path: string | undefined
  readonly #files: ProvedFile[] = []
  #startedAt = 0

  constructor(run: string, path: string | undefined) {
    this.#run = run
    this.#path = path
  }

  onTestRunStart(): void {
    this.#startedAt = performance.now()
  }

  onTestModuleEnd(module: TestModule): void {
    const states = [...module.children.allTests()].map((test) => test.result().state)
    const count = (state: string) => states.filter((each) => each === state).length
    const diagnostic = module.diagnostic()
    this.#files.push({
      path: relative(process.cwd(), module.moduleId),
      passed: count('passed'),
      // Errors outside of tests belong to the file.
      failed: count('failed') + module.errors().length,
      skipped: count('skipped'),
      seconds: round((diagnostic.duration + diagnostic.collectDuration) / 1000),
      processorSeconds: round(module.meta().processorSeconds ?? 0),
    })
  }

  async onTestRunEnd(): Promise<void> {
    const files = this.#files.toSorted((one, other) => other.seconds - one.seconds)
    for (const { path, seconds, processorSeconds } of files.slice(0, SLOWEST)) {
      process.stdout.write(`-- ${seconds} s, ${processorSeconds} s of a processor: ${path}\n`)
    }
    if (this.#path === undefined) return
    const [{ model = 'a processor' } = {}, ...others] = cpus()
    const machine = `${1 + others.length} cores (${model.trim()}), ${Math.round(totalmem() / GIB)} GiB`
    const report: ProofReport = {
      run: this.#run,
      machine,
      seconds: round((performance.now() - this.#startedAt) / 1000),
      files,
    }
    await mkdir(dirname(this.#path), { recursive: true })
    await writeFile(this.#path, `${JSON.stringify(report, undefined, 1)}\n`)
  }
}

const round = (seconds: number) => Math.round(seconds * 100) / 100

export async function readReport(path: string): Promise<ProofReport> {
  return JSON.parse(await readFile(path, 'utf8')) as ProofReport
}
