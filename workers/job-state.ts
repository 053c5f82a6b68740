const BEGUN = 0
const IN_SECTION = 1
const TERMINATING = 2
const NUMBERS = 3

/**
 * What a pool and a thread tell each other of the job that runs there: whether it has begun, and whether
 * the thread is in a critical section, in which it must not be terminated.
 *
 * Both sides write their own number first and read the other's then, so that neither misses the other.
 */
export class JobState {
  /** Shared by both. */
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

  /** Called in the thread. Where that is about to be terminated, it waits for its end instead. */
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

  /** Called by the pool as well, when the thread is gone: nobody waits for its section any longer. */
  leaveSection(): void {
    Atomics.store(this.#numbers, IN_SECTION, 0)
    if (Atomics.load(this.#numbers, TERMINATING) === 1) Atomics.notify(this.#numbers, IN_SECTION)
  }

  /** Settles once the thread may be terminated: it is in no section, and enters none from then on. */
  async untilTerminable(): Promise<void> {
    Atomics.store(this.#numbers, TERMINATING, 1)
    await Atomics.waitAsync(this.#numbers, IN_SECTION, 1).value
  }
}
