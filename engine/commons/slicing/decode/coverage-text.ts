import { setImmediate } from 'node:timers/promises'
import { Field, Float64, Int32, makeData, Schema } from 'apache-arrow'
import { type ByteStream, generatedStream } from '../../../shared/streams/byte-stream.ts'
import { batchChunk } from '../../render/arrow.ts'
import { ARROW_END } from '../../render/arrow-end.ts'
import type { Coverage } from './coverage.ts'

/** Bins written at a time: about a millisecond of work. */
const CHUNK_BINS = 8192

/** Streams coverage as JSON with an array per value, or as Arrow with a row per bin. */
export function coverageStream(coverage: Coverage, format: 'json' | 'arrow'): ByteStream {
  const rest = format === 'json' ? jsonOf(coverage) : arrowOf(coverage)
  return generatedStream({ rest }, { giveBack: () => {} })
}

async function* jsonOf(coverage: Coverage): AsyncGenerator<Uint8Array> {
  const { reference, start, end, basesPerBin: bases_per_bin, reads, greatest } = coverage
  const head = JSON.stringify({ reference, start, end, bases_per_bin, reads })
  yield Buffer.from(`${head.slice(0, -1)},"mean":[`)
  yield* numbers(greatest.length, (bin) => meanOf(coverage, bin))
  yield Buffer.from('],"max":[')
  yield* numbers(greatest.length, (bin) => greatest[bin]!)
  yield Buffer.from(']}')
}

async function* numbers(count: number, numberOf: (bin: number) => number) {
  for (let first = 0; first < count; first += CHUNK_BINS) {
    const length = Math.min(CHUNK_BINS, count - first)
    const texts = Array.from({ length }, (_, i) => String(numberOf(first + i)))
    yield Buffer.from(`${first === 0 ? '' : ','}${texts.join(',')}`)
    await setImmediate()
  }
}

async function* arrowOf(coverage: Coverage): AsyncGenerator<Uint8Array> {
  const types = { start: new Int32(), end: new Int32(), mean: new Float64(), max: new Int32() }
  const schema = new Schema(
    Object.entries(types).map(([name, type]) => new Field(name, type, false)),
    new Map([['reference', coverage.reference]]),
  )
  const { greatest } = coverage
  for (let first = 0; first < greatest.length; first += CHUNK_BINS) {
    const length = Math.min(CHUNK_BINS, greatest.length - first)
    const each = (numberOf: (bin: number) => number) => (_: unknown, i: number) =>
      numberOf(first + i)
    const start = Int32Array.from(
      { length },
      each((bin) => startOf(coverage, bin)),
    )
    const end = Int32Array.from(
      { length },
      each((bin) => endOf(coverage, bin)),
    )
    const mean = Float64Array.from(
      { length },
      each((bin) => meanOf(coverage, bin)),
    )
    const max = greatest.slice(first, first + length)
    const columns = [
      makeData({ type: types.start, data: start }),
      makeData({ type: types.end, data: end }),
      makeData({ type: types.mean, data: mean }),
      makeData({ type: types.max, data: max }),
    ]
    yield batchChunk(schema, columns, { rows: length, first: first === 0 })
    await setImmediate()
  }
  yield ARROW_END
}

const startOf = ({ start, basesPerBin }: Coverage, bin: number) => start + bin * basesPerBin

const endOf = (coverage: Coverage, bin: number) =>
  Math.min(coverage.end, startOf(coverage, bin + 1) - 1)

function meanOf(coverage: Coverage, bin: number): number {
  return coverage.sums[bin]! / (endOf(coverage, bin) - startOf(coverage, bin) + 1)
}
