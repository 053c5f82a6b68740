import { inSlices } from '../../shared/concurrency/in-slices.ts'

/** JSON of an answer, written in slices: a long one takes some hundred milliseconds. */
export async function writeJson(value: unknown): Promise<string> {
  const pieces: string[] = []
  await inSlices(writePieces(value, pieces))
  return pieces.join('')
}

function* writePieces(value: unknown, pieces: string[]): Generator<void, void> {
  if (Array.isArray(value)) {
    pieces.push('[')
    for (const [i, one] of value.entries()) {
      if (i > 0) pieces.push(',')
      yield* writePieces(one, pieces)
      yield
    }
    pieces.push(']')
  } else if (isNested(value)) {
    let between = '{'
    for (const [name, one] of Object.entries(value)) {
      pieces.push(`${between}${JSON.stringify(name)}:`)
      between = ','
      yield* writePieces(one, pieces)
    }
    pieces.push('}')
  } else pieces.push(JSON.stringify(value) ?? 'null')
}

/** Whether something is an object with more in it than single values. */
function isNested(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((one) => typeof one === 'object' && one !== null)
}
