import { expect, test } from 'vitest'
import { compressBlocks } from '../../../shared/formats/bgzf.ts'
import { PIECE_BYTES, walkBody } from './record-pieces.ts'

const BLOCK = 65_280

test('behind a long record that shrinks to nearly nothing, a job inflates no more than twice of it', async () => {
  // One record of 64 MB compresses to 70 kB of blocks, which arrive at once.
  const blocks = compressBlocks(new Uint8Array(1000 * BLOCK), 1)
  const chunk = Uint8Array.from(Buffer.concat(blocks))
  const [first] = blocks
  const taken: { readonly blocks: number; readonly carried: number }[] = []
  const body = (async function* () {
    yield chunk
  })()
  const walk = async () => {
    for await (const _ of walkBody(body, async ({ blocks, rest }) => {
      const count = Math.round(blocks.length / first!.length)
      taken.push({ blocks: count, carried: rest.length / BLOCK })
      return { rest: new Uint8Array(rest.length + count * BLOCK) }
    })) {
      // There is no output, because the record has not ended.
    }
  }
  await expect(walk()).rejects.toMatchObject({ code: 'corrupt_source' })
  expect(taken.reduce((sum, { blocks }) => sum + blocks, 0)).toBe(1000)
  for (const { blocks, carried } of taken) {
    expect(blocks).toBeLessThanOrEqual(PIECE_BYTES / BLOCK + carried)
  }
  // The number of jobs grows only with each doubling, because each job copies the carried bytes.
  expect(taken.length).toBeLessThan(10)
})

test('thousands of tiny blocks take few jobs', async () => {
  const block = compressBlocks(new Uint8Array(40), 1)[0]!
  const chunk = Uint8Array.from(Buffer.concat(Array.from({ length: 20_000 }, () => block)))
  const body = (async function* () {
    yield chunk
  })()
  let jobs = 0
  let bytes = 0
  for await (const { length } of walkBody(body, async ({ blocks }) => {
    jobs++
    return { length: blocks.length, rest: new Uint8Array(0) }
  })) {
    bytes += length
  }
  expect(bytes).toBe(chunk.length)
  expect(jobs).toBeLessThan(40)
})
