/** A body that is made while it is taken, and how much of it has been taken already. */
export interface Begun {
  readonly taken: readonly Uint8Array[]
  readonly rest: AsyncGenerator<Uint8Array>
}

export const notBegun = (rest: AsyncGenerator<Uint8Array>): Begun => ({ taken: [], rest })

/** A body of one chunk as these bytes: its length is then known before it is sent. */
export async function wholeOrBegun(rest: AsyncGenerator<Uint8Array>): Promise<Uint8Array | Begun> {
  const first = await rest.next()
  if (first.done) return new Uint8Array(0)
  const second = await rest.next()
  return second.done ? first.value : { taken: [first.value, second.value], rest }
}

/** So few records are likely to be one chunk, and are taken as a whole. */
const FEW_ROWS = 20

export const isFew = (rows: number): boolean => rows <= FEW_ROWS

/** A body of which the first chunk has been taken: what is known by then is said before it is sent. */
async function begun(rest: AsyncGenerator<Uint8Array>): Promise<Begun> {
  const first = await rest.next()
  return { taken: first.done ? [] : [first.value], rest }
}

/**
 * The body of a list of so many records.
 * @param isTable whether its first chunk shows its columns
 */
export async function listBody(
  body: AsyncGenerator<Uint8Array>,
  rows: number,
  isTable = false,
): Promise<Uint8Array | Begun> {
  if (isFew(rows)) return wholeOrBegun(body)
  return isTable ? begun(body) : notBegun(body)
}
