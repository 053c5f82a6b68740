import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { RegistryEdits, readRules } from '../../engine/registry/edits/registry-edits.ts'
import { readDictionary } from '../../engine/registry/naaccr-xml/read-dictionary.ts'
import { LineBatches } from '../../engine/registry/ndjson-batch/line-batches.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { ThreadPool } from '../../workers/pool.ts'
import { available } from '../available.ts'

const AT = publicData('data/naaccr')
const FILES = 3
const ROUNDS = 4

/** Processor time of this thread, in milliseconds. */
async function timeOf(work: () => Promise<void>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test.skipIf(!available.shared)(
  'threads read, check and answer files, not the main thread',
  async () => {
    const sample = join(AT, 'samples/naaccr-xml-sample-v250-incidence-1000.xml.gz')
    const bytes = gunzipSync(readFileSync(sample))
    const dictionary = await readDictionary(join(AT, 'dictionaries/naaccr-dictionary-250.xml.gz'))
    const rules = await readRules(undefined)
    const pool = new ThreadPool({ threads: 2 })
    const edits = new RegistryEdits({ batches: new LineBatches(pool) })
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += 1 << 16) yield bytes.subarray(at, at + (1 << 16))
    }
    const edited = async () => {
      await using file = await edits.check(chunks(), {
        findDictionary: async () => dictionary,
        findCodes: async () => new Map(),
        rules,
        format: 'tsv',
      })
      for await (const _ of file.body);
      return file.summary().tumors
    }
    try {
      let tumors: readonly number[] = []
      const [own, parsing]: [number[], number[]] = [[], []]
      // The first rounds compile; the fastest round is the least disturbed by other processes.
      for (let round = 0; round < ROUNDS; round++) {
        own.push(
          await timeOf(async () => {
            tumors = await Promise.all(Array.from({ length: FILES }, edited))
          }),
        )
        parsing.push(
          await timeOf(async () => {
            for (let i = 0; i < FILES; i++) new SaxesParser().write(bytes.toString()).close()
          }),
        )
      }
      // zcat FILE | grep -c '<Tumor>'
      expect(tumors).toEqual(Array(FILES).fill(1000))
      // On the main thread, all work takes ten times as long as parsing the XML does.
      const most = 3 * Math.min(...parsing)
      expect(Math.min(...own), `${own} ms beside ${parsing} ms of parsing`).toBeLessThan(most)
    } finally {
      await pool.close()
    }
  },
)
