const BEGUN = 0
const IN_SECTION = 1
const TERMINATING = 2
const NUMBERS = 3

/**
 * State of a job in memory that the pool and a thread share: whether the job has begun, and whether the thread
 * is in a critical section, in which it must not be terminated.
 *
 * The pool and the thread each write their own number before they read the other's, so that neither misses a
 * change.
 */
export class JobState {
  /** Memory shared by pool and thread. */
  readonly memory: SharedArrayBuffer
  readonly #numbers: Int32Array

  constructor(memory = new SharedArrayBuffer(NUMBERS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#numbers = new Int32Array(memory)
  }

  get hasBegun(): boolean {
    return Atomics.load(this.#numbers, BEGUN) === 1
  }

  begin(): void {
    Atomics.store(this.#numbers, BEGUN, 1)
  }

  /** Runs a critical section of this thread. If the thread is about to be terminated, waits for that instead. */
  criticalSection<Output>(run: () => Output): Output {
    Atomics.store(this.#numbers, IN_SECTION, 1)
    try {
      if (Atomics.load(this.#numbers, TERMINATING) === 1) {
        this.leaveSection()
        Atomics.wait(this.#numbers, TERMINATING, 1)
      }
      return run()
    } finally {
      this.leaveSection()
    }
  }

  /** Ends a critical section. The pool calls this, too, after the thread has ended, so that no wait lasts forever. */
  leaveSection(): void {
    Atomics.store(this.#numbers, IN_SECTION, 0)
    if (Atomics.load(this.#numbers, TERMINATING) === 1) Atomics.notify(this.#numbers, IN_SECTION)
  }

  /** Resolves when the thread may be terminated: it is in no critical section and will not enter one. */
  async untilTerminable(): Promise<void> {
    Atomics.store(this.#numbers, TERMINATING, 1)
    await Atomics.waitAsync(this.#numbers, IN_SECTION, 1).value
  }
}
