import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digestOf } from '../../bench/registry/line-batch.ts'
import { countResults } from '../../bench/registry/staging/answers.ts'
import { sendBatch } from '../../bench/registry/staging/batch.ts'
import { makeHome, type StagingHome } from '../../bench/registry/staging/home.ts'
import {
  ALGORITHMS,
  type AlgorithmName,
  ARCHIVES,
  linesOf,
  readCases,
} from '../../bench/registry/staging/input.ts'
import { PINS } from '../../bench/registry/staging/pins.ts'
import { piecesOf, stageText } from '../../bench/registry/staging/text.ts'
import { startTextThreads } from '../../bench/registry/staging/text-threads.ts'
import { type Engine, openEngine } from '../../engine/index.ts'
import { CompiledVersion } from '../../engine/registry/staging/algorithm/compiled-version.ts'
import { readAlgorithmZip } from '../../engine/registry/staging/algorithm/read-zip.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import type { RunningServer } from '../../server/main.ts'
import { available } from '../available.ts'
import { listenFor } from '../commons/contract/support/listen.ts'
import { ENGINES } from '../registry/support/staging-engines.ts'

// The benchmark measures nothing unless all candidates give the recorded answers. This test checks the same for
// a few cases of each schema.

describe.skipIf(!available.shared).each(ALGORITHMS)('%s', (algorithm) => {
  const cases = available.shared ? readCases('test', algorithm) : undefined

  test('both engines stage what was recorded', async () => {
    const content = await readAlgorithmZip(ARCHIVES[algorithm])
    for (const made of Object.values(ENGINES)) {
      const engine = made(content)
      const counted = countResults(cases!, (input) => engine.stage(input))
      expect(counted).toEqual(PINS.test[algorithm])
    }
  })

  test('a case that is staged otherwise stops the bench', () => {
    const other = { result: 'STAGED', input: {}, output: {}, errors: [], path: [] } as const
    expect(() => countResults(cases!, () => other)).toThrow('otherwise')
  })
})

describe.skipIf(!available.shared)('as text', () => {
  let home: StagingHome
  let engine: Engine
  let server: RunningServer
  beforeAll(async () => {
    home = await makeHome(['eod'])
    engine = await openEngine({ dataFolder: home.folder, executor: inlineExecutor })
    server = await listenFor(engine)
  })
  afterAll(async () => {
    await server?.close()
    await engine?.close()
    await home?.[Symbol.asyncDispose]()
  })

  test('threads and the service answer alike', async () => {
    const algorithm: AlgorithmName = 'eod'
    const { answers, lines } = await answered(algorithm)
    const threads = await startTextThreads(algorithm, lines)
    // The second run reuses buffers from the first.
    expect([await threads.run(), await threads.run()]).toEqual([answers.length, answers.length])
    await threads.stop()
    const path = join(home.folder, `${algorithm}.ndjson`)
    await writeFile(path, lines)
    const order = { address: server.address, key: home.key, algorithm, cases: path }
    await sendBatch(order, `${path}.staged`)
    expect(await digestOf(`${path}.staged`)).toBe(createHash('md5').update(answers).digest('hex'))
  })
})

async function answered(algorithm: AlgorithmName) {
  const lines = linesOf(readCases('test', algorithm))
  const version = new CompiledVersion(await readAlgorithmZip(ARCHIVES[algorithm]))
  const pieces = piecesOf(Buffer.from(lines))
  return { lines, answers: Buffer.concat(pieces.map((piece) => stageText(piece, version))) }
}
