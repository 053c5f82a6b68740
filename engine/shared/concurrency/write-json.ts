import { LoopTurns } from './loop-turns.ts'

/**
 * Serializes a value to JSON in steps that yield to the event loop, because a large one takes some hundred
 * milliseconds.
 */
export async function writeJson(value: unknown, turns = new LoopTurns()): Promise<string> {
  const chunks: string[] = []
  await turns.run(writeChunks(value, chunks))
  return chunks.join('')
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
