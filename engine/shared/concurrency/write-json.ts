import { LoopTurns } from './loop-turns.ts'

/** Serializes a value to JSON in steps, yielding to the event loop. A large value takes 100 ms or more. */
export async function writeJson(value: unknown, turns = new LoopTurns()): Promise<string> {
  const pieces: string[] = []
  await turns.run(writePieces(value, pieces))
  return pieces.join('')
}

/** Number of texts to join in one step. Joining millions at once would take as long as all previous steps. */
const CHUNKS_OF_A_PIECE = 2048

function* writePieces(value: unknown, pieces: string[]): Generator<void, void> {
  const chunks: string[] = []
  for (const _ of writeChunks(value, chunks)) {
    if (chunks.length >= CHUNKS_OF_A_PIECE) pieces.push(chunks.splice(0).join(''))
    yield
  }
  pieces.push(chunks.join(''))
}

function* writeChunks(value: unknown, chunks: string[]): Generator<void, void> {
  if (Array.isArray(value)) {
    chunks.push('[')
    for (const [i, one] of value.entries()) {
      if (i > 0) chunks.push(',')
      yield* writeChunks(one, chunks)
      yield
    }
    chunks.push(']')
  } else if (isNested(value)) {
    let between = '{'
    for (const [name, one] of Object.entries(value)) {
      chunks.push(`${between}${JSON.stringify(name)}:`)
      between = ','
      yield* writeChunks(one, chunks)
    }
    chunks.push('}')
  } else chunks.push(JSON.stringify(value) ?? 'null')
}

/** Returns whether a value is an object that contains other objects. */
function isNested(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((one) => typeof one === 'object' && one !== null)
}
