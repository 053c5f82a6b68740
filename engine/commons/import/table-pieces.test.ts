import { expect, test } from 'vitest'
import { linesFrom, type TablePiece, tablePieces } from './table-pieces.ts'

const LINE = `${'x'.repeat(99)}\n`
/** Ten and a half pieces, and a last line without a line ending. */
const TABLE = Buffer.from(`${LINE.repeat(110_000)}end`)

async function* chunksOf(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function piecesOf(chunks: AsyncIterable<Uint8Array>): Promise<TablePiece[]> {
  const pieces: TablePiece[] = []
  for await (const piece of tablePieces(chunks)) pieces.push(piece)
  return pieces
}

test.each([1 << 20, 65_536, 999_983])(
  'pieces of chunks of %i bytes are whole lines',
  async (size) => {
    const pieces = await piecesOf(chunksOf(TABLE, size))
    expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(TABLE)).toBe(true)
    expect(pieces.length).toBeGreaterThan(5)
    let lines = 0
    for (const { bytes, linesBefore } of pieces) {
      expect(linesBefore).toBe(lines)
      lines += Math.floor(bytes.length / LINE.length)
    }
    expect(lines).toBe(110_000)
  },
)

test('a line beyond the longest one is a piece, so that it is refused', async () => {
  const [first, second, ...others] = await piecesOf(
    chunksOf(Buffer.from(`a\n${'x'.repeat(6 << 20)}\nb\n`), 1 << 20),
  )
  expect([first?.linesBefore, first?.bytes.length]).toEqual([0, 2])
  expect(second?.linesBefore).toBe(1)
  expect(second?.bytes.length).toBeGreaterThan(4 << 20)
  expect(others.length).toBeGreaterThan(0)
})

test('whole lines before an error come before it', async () => {
  async function* damaged() {
    yield Buffer.from('a\nb\nc')
    throw new Error('cut off')
  }
  const pieces: string[] = []
  const reading = async () => {
    for await (const { bytes } of tablePieces(damaged())) pieces.push(Buffer.from(bytes).toString())
  }
  await expect(reading()).rejects.toThrow('cut off')
  expect(pieces).toEqual(['a\nb\n'])
})

test('lines of a piece from one on', () => {
  const piece = { bytes: Buffer.from('six\nseven\neight\n'), linesBefore: 5 }
  const { bytes, linesBefore } = linesFrom(piece, 8)
  expect([Buffer.from(bytes).toString(), linesBefore]).toEqual(['eight\n', 7])
  expect(Buffer.from(linesFrom(piece, 6).bytes).toString()).toBe('six\nseven\neight\n')
})
