import { type RunnerTask, type RunnerTestFile, type RunnerTestSuite, TestRunner } from 'vitest'
import { LastEvents } from './last-events.ts'
import { processorSeconds } from './processor-time.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor seconds of the file, including child processes that it waited for. */
    processorSeconds?: number
  }
}

/** Runs tests as vitest does. It also measures each file, and reports what happened before a failure. */
export default class WatchedRunner extends TestRunner {
  readonly #events = new LastEvents()
  #startedAt = processorSeconds()

  override onCollectStart(file: RunnerTestFile): void {
    this.#startedAt = processorSeconds()
    super.onCollectStart(file)
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    this.#events.clear()
    await super.onBeforeRunTask(test)
  }

  override onAfterRunTask(test: RunnerTask): void {
    super.onAfterRunTask(test)
    if (test.result?.state !== 'fail') return
    const text = this.#events.text()
    if (text !== '') process.stderr.write(`\n${test.fullTestName} has failed after\n${text}`)
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite)
    if ('filepath' in suite) suite.meta.processorSeconds = processorSeconds() - this.#startedAt
  }

  override onAfterRunFiles(): void {
    super.onAfterRunFiles()
    this.#events[Symbol.dispose]()
  }
}
