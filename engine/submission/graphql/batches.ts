/** Maximum number of keys per statement. */
const MAX_KEYS = 250

type Load<Value> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>

/** Key of requests that are loaded together: field of the query, and type that has the field. */
interface Place {
  readonly field: object
  readonly of: string
}

interface Batch {
  readonly waiting: Map<string, PromiseWithResolvers<unknown>>
}

/**
 * Combines requests of a query. In one turn of the event loop, all rows of a level request the same field, and
 * one SQL statement loads it for all of them.
 */
export class Batches {
  readonly #open = new Map<object, Map<string, Batch>>()

  /**
   * Returns the value of a key.
   * @param place requests with an equal place are loaded together
   * @param load loads the values of many keys
   */
  load<Value>({ field, of }: Place, key: string, load: Load<Value>): Promise<Value | undefined> {
    const batches = this.#open.get(field) ?? new Map<string, Batch>()
    this.#open.set(field, batches)
    let batch = batches.get(of)
    if (batch === undefined || batch.waiting.size >= MAX_KEYS) {
      const opened: Batch = { waiting: new Map() }
      batch = opened
      batches.set(of, opened)
      process.nextTick(() => {
        if (batches.get(of) === opened) batches.delete(of)
        void send(opened, load)
      })
    }
    const asked = batch.waiting.get(key) ?? Promise.withResolvers<unknown>()
    batch.waiting.set(key, asked)
    return asked.promise as Promise<Value | undefined>
  }
}

async function send<Value>({ waiting }: Batch, load: Load<Value>): Promise<void> {
  try {
    const found = await load([...waiting.keys()])
    for (const [key, { resolve }] of waiting) resolve(found.get(key))
  } catch (error) {
    for (const { reject } of waiting.values()) reject(error)
  }
}
