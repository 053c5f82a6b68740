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

/** So few records are likely to be one chunk. */
const FEW_ROWS = 20

/** The body of a list of so many records. */
export async function listBody(
  body: AsyncGenerator<Uint8Array>,
  rows: number,
): Promise<Uint8Array | Begun> {
  return rows <= FEW_ROWS ? wholeOrBegun(body) : notBegun(body)
}
