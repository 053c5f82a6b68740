/** A streamed body, and the chunks that have already been read from it. */
export interface Begun {
  readonly taken: readonly Uint8Array[]
  readonly rest: AsyncGenerator<Uint8Array>
}

export const notBegun = (rest: AsyncGenerator<Uint8Array>): Begun => ({ taken: [], rest })

/**
 * Returns a body of at most one chunk as bytes, so that its length can be sent first. A longer one is
 * returned as its first two chunks and the rest.
 */
export async function wholeOrBegun(rest: AsyncGenerator<Uint8Array>): Promise<Uint8Array | Begun> {
  const { done, value } = await rest.next()
  if (done) return new Uint8Array(0)
  // The chunk is copied, because its memory may be reused when the next chunk is requested.
  const first = Uint8Array.from(value)
  const second = await rest.next()
  return second.done ? first : { taken: [first, second.value], rest }
}

/** Lists of up to this many rows usually fit in one chunk. */
const FEW_ROWS = 20

export const isFew = (rows: number): boolean => rows <= FEW_ROWS

/** Reads the first chunk of a body. Warnings that arise while it is made can then be sent as headers. */
async function begun(rest: AsyncGenerator<Uint8Array>): Promise<Begun> {
  const first = await rest.next()
  return { taken: first.done ? [] : [first.value], rest }
}

/**
 * Returns the body of a list with so many records.
 * @param isTable whether the first chunk shows the columns
 */
export async function listBody(
  body: AsyncGenerator<Uint8Array>,
  rows: number,
  isTable = false,
): Promise<Uint8Array | Begun> {
  if (isFew(rows)) return wholeOrBegun(body)
  return isTable ? begun(body) : notBegun(body)
}
