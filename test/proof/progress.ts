import { relative } from 'node:path'
import type { Reporter, TestModule, TestRunEndReason, TestSpecification } from 'vitest/node'

/** The number of files between two lines; a complete run prints about twenty lines. */
const FILES_PER_LINE = 20

/**
 * Prints the progress of a run, and the failures if it is interrupted. The default reporter, used as well, does
 * neither if its output is not a terminal.
 */
export class Progress implements Reporter {
  readonly #write: (text: string) => void
  #total = 0
  #done = 0
  readonly #failed: string[] = []
  readonly #interrupted = () => {
    this.#write(`\ninterrupted after ${this.#summary()}\n`)
    process.exit(130)
  }

  constructor(write: (text: string) => void = (text) => process.stdout.write(text)) {
    this.#write = write
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#total = files.length
    process.once('SIGINT', this.#interrupted)
  }

  onTestModuleEnd(module: TestModule): void {
    this.#done++
    const path = relative(process.cwd(), module.moduleId)
    for (const test of module.children.allTests('failed')) {
      this.#failed.push(`${path} > ${test.fullName}`)
    }
    // Errors outside of tests belong to the file.
    if (module.errors().length > 0) this.#failed.push(path)
    if (this.#done % FILES_PER_LINE === 0) this.#write(`-- ${this.#summary()}\n`)
  }

  onTestRunEnd(
    _modules: readonly TestModule[],
    _errors: readonly unknown[],
    reason: TestRunEndReason,
  ): void {
    process.off('SIGINT', this.#interrupted)
    if (reason === 'interrupted') this.#write(`interrupted after ${this.#summary()}\n`)
  }

  #summary(): string {
    const counts = `${this.#done} of ${this.#total} files, ${this.#failed.length} failed`
    return [counts, ...this.#failed.map((name) => `   failed: ${name}`)].join('\n')
  }
}
