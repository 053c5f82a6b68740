const LINE_END = 10

/**
 * First bytes of the result for a rejected line, as `lineJob` (engine/registry/ndjson-batch/line-job.ts) writes
 * it. No other result starts with this member.
 */
const ERROR = '{"line":'

/**
 * Makes line numbers in results for rejected lines those of the whole input: they are counted from the start of
 * a piece of the input. All other bytes pass unchanged. Keeps one chunk and the longest result in memory.
 * @param before number of input lines before the piece
 */
export async function* renumbered(
  answers: AsyncIterable<Uint8Array>,
  before: number,
): AsyncGenerator<Uint8Array> {
  let begun = Buffer.alloc(0)
  for await (const chunk of answers) {
    const bytes = Buffer.concat([begun, chunk])
    const end = bytes.lastIndexOf(LINE_END) + 1
    yield withNumbers(bytes.subarray(0, end), before)
    begun = bytes.subarray(end)
  }
  yield withNumbers(begun, before)
}

function withNumbers(lines: Buffer, before: number): Buffer {
  const parts: Buffer[] = []
  let done = 0
  for (let at = beginsWithError(lines) ? 0 : nextError(lines, 0); at >= 0; ) {
    const number = at + ERROR.length
    const end = lines.indexOf(',', number)
    parts.push(lines.subarray(done, number))
    parts.push(Buffer.from(String(Number(lines.toString('latin1', number, end)) + before)))
    done = end
    at = nextError(lines, end)
  }
  return Buffer.concat([...parts, lines.subarray(done)])
}

function nextError(lines: Buffer, from: number): number {
  const lineEnd = lines.indexOf(`\n${ERROR}`, from)
  return lineEnd < 0 ? -1 : lineEnd + 1
}

const beginsWithError = (lines: Buffer) => lines.toString('latin1', 0, ERROR.length) === ERROR
