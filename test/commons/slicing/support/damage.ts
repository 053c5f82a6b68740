import { type Random, randomFrom } from '../../../../fixtures/random.ts'
import { type StrictBlock, splitBlocks } from './strict-bam.ts'

/** The bytes of a damaged file. */
interface Damaged {
  readonly what: string
  readonly bytes: Buffer
}

type Hurt = (bytes: Buffer, blocks: readonly StrictBlock[], random: Random) => Damaged

/** Draws damages of every kind in turn, each at a random place. */
export function drawDamages(bytes: Buffer, seed: number, count: number): Damaged[] {
  const random = randomFrom(seed)
  const blocks = splitBlocks(bytes)
  return Array.from({ length: count }, (_, i) => {
    const hurt = HURTS[i % HURTS.length] ?? flip
    return hurt(Buffer.from(bytes), blocks, random)
  })
}

const flip: Hurt = (bytes, _, random) => {
  const at = random.below(bytes.length)
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.below(8)), at)
  return { what: `one bit at ${at} flipped`, bytes }
}

const zeroRange: Hurt = (bytes, _, random) => {
  const at = random.below(bytes.length)
  const end = Math.min(bytes.length, at + 1 + random.below(300))
  return { what: `zeros from ${at} to ${end}`, bytes: bytes.fill(0, at, end) }
}

/** Makes the footer of a block say that it is empty. */
const zeroFooter: Hurt = (bytes, blocks, random) => {
  const { offset, length } = pick(blocks, random)
  const from = offset + length - (random.chance(0.5) ? 4 : 8)
  return { what: `footer of block ${offset} zero`, bytes: bytes.fill(0, from, offset + length) }
}

const otherLength: Hurt = (bytes, blocks, random) => {
  const { offset } = pick(blocks, random)
  const length = random.below(65536)
  bytes.writeUInt16LE(length, offset + 16)
  return { what: `block ${offset} claims a length of ${length + 1}`, bytes }
}

/** Keeps the chain of blocks whole, with one block missing. */
const twoBlocksAsOne: Hurt = (bytes, blocks, random) => {
  const number = random.below(blocks.length - 1)
  const [first, second] = [blocks[number], blocks[number + 1]]
  if (!first || !second) throw new RangeError('there is only one block')
  const length = first.length + second.length
  if (length <= 65536) bytes.writeUInt16LE(length - 1, first.offset + 16)
  else bytes.fill(0, first.offset, second.offset)
  return { what: `block ${first.offset} and the next one joined`, bytes }
}

const lastBlockWithMarker: Hurt = (bytes, blocks) => {
  const [last, marker] = blocks.slice(-2)
  if (!last || !marker) throw new RangeError('there is only one block')
  bytes.writeUInt16LE(Math.min(65536, last.length + marker.length) - 1, last.offset + 16)
  return { what: 'last block joined with the end marker', bytes }
}

const cutAnywhere: Hurt = (bytes, _, random) => {
  const length = 1 + random.below(bytes.length - 1)
  return { what: `cut to ${length} bytes`, bytes: bytes.subarray(0, length) }
}

const cutBetweenBlocks: Hurt = (bytes, blocks, random) => {
  const { offset } = pick(blocks.slice(1), random)
  return { what: `cut before block ${offset}`, bytes: bytes.subarray(0, offset) }
}

const HURTS: readonly Hurt[] = [
  flip,
  zeroRange,
  zeroFooter,
  cutAnywhere,
  otherLength,
  twoBlocksAsOne,
  flip,
  cutBetweenBlocks,
  lastBlockWithMarker,
]

function pick(blocks: readonly StrictBlock[], random: Random): StrictBlock {
  const block = blocks[random.below(blocks.length)]
  if (!block) throw new RangeError('there are no blocks')
  return block
}
