const BEGUN = 0
const INSIDE = 1
const ENDING = 2
const NUMBERS = 3

/**
 * What a pool and a thread tell each other of the job that runs there: whether it has begun, and whether
 * the thread is in a section that must not be broken off.
 *
 * A section and an end cannot miss each other: each side writes its own number first, and reads the
 * other's then.
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

  /** Runs a section, in the thread. Where that is about to be ended, waits for its end instead. */
  section<Output>(run: () => Output): Output {
    Atomics.store(this.#numbers, INSIDE, 1)
    try {
      if (Atomics.load(this.#numbers, ENDING) === 1) this.#waitForEnd()
      return run()
    } finally {
      this.#leave()
    }
  }

  #waitForEnd(): void {
    this.#leave()
    Atomics.wait(this.#numbers, ENDING, 1)
  }

  #leave(): void {
    Atomics.store(this.#numbers, INSIDE, 0)
    if (Atomics.load(this.#numbers, ENDING) === 1) Atomics.notify(this.#numbers, INSIDE)
  }

  /** Settles once the thread may be ended: it is in no section, and enters none from then on. */
  async mayEnd(): Promise<void> {
    Atomics.store(this.#numbers, ENDING, 1)
    await Atomics.waitAsync(this.#numbers, INSIDE, 1).value
  }

  /** The thread is gone: nobody waits for it any longer. */
  gone(): void {
    Atomics.store(this.#numbers, INSIDE, 0)
    Atomics.notify(this.#numbers, INSIDE)
  }
}
