import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  MANIFEST_LIMITS,
  validateUploadManifest,
} from '../../engine/submission/files/upload-manifest.ts'
import { boundedThread, LazyPool } from '../../workers/lazy-pool.ts'
import { FileService } from '../submission/support/file-service.ts'

// Manifests are validated in a separate thread, because a short YAML text can take minutes, or all memory.

const PATH = '/v0/submission/validation/upload_manifest'
const ID = 'd411ee1b-3a2f-4a86-8eb4-716e19d20c0c'
const SMALL = `files:\n- id: ${ID}\n  file_name: a\n  project_id: P-Q\n`
const VALID = [200, '{"valid":true}']

const keys = (count: number) => Array.from({ length: count }, (_, i) => `k${i}: 1\n`).join('')

/** Processor time of the calling thread only. */
function processorMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

// It takes half a second on an idle machine; when each key was compared with all others, it took more than a minute.
test('forty thousand keys are not compared with each other', () => {
  const start = processorMilliseconds()
  expect(validateUploadManifest(keys(40_000))).toEqual({ valid: true })
  expect(processorMilliseconds() - start).toBeLessThan(20_000)
})

describe('a manifest over HTTP', () => {
  let service: FileService
  let stranger: string
  const pool = boundedThread({ endAfterMilliseconds: 3_600_000 })
  beforeAll(async () => {
    service = await FileService.start(undefined, pool)
    stranger = (await service.engine.shared.tokens.create({ user: 'stranger', projects: [] }))
      .secret
  })
  afterAll(async () => {
    await service.close()
    await pool.close()
  })

  const validate = async (body: string, token: string | null = stranger) => {
    const { status, text } = await service.ask('POST', PATH, { body, token })
    return [status, text]
  }
  const told = async (body: string) => {
    const [status, text] = await validate(body)
    return [status, JSON.parse(String(text)).message]
  }

  test('is validated for any token, and for nobody without one', async () => {
    expect(await validate(SMALL)).toEqual(VALID)
    for (const token of [null, 'nobody']) expect((await validate(SMALL, token))[0]).toBe(403)
  })

  test('is not even taken from who has no token', async () => {
    const halfOfIt = service.ask('POST', PATH, { token: null, body: endless() })
    expect((await halfOfIt).status).toBe(403)
  })

  test.each([5000, 40_000])('may have %i keys', async (count) => {
    expect(await validate(keys(count))).toEqual(VALID)
  })

  test('with more lines than anybody has is refused before it is read', async () => {
    const message = `the manifest has more than ${MANIFEST_LIMITS.lines} lines; make several of it`
    expect(await told(keys(90_000))).toEqual([400, message])
  })

  test.each([
    ['[', 34],
    ['- ', 67],
    ['? ', 67],
    ['{a: ', 133],
  ])('of %j for a megabyte is seen to be too deep by its first levels', async (unit, place) => {
    const [status, text] = await validate(unit.repeat(1_000_000 / unit.length))
    const failure = `the manifest is nested deeper than 32 levels at character ${place}`
    expect([status, text]).toEqual([200, JSON.stringify({ valid: false, errors: [failure] })])
  })

  test('that is asked for by many at once is answered, and others beside it', async () => {
    const costly = [1, 2, 3].map(() => validate(keys(20_000)))
    const status = await fetch(`${service.address}/status`)
    expect(status.status).toBe(200)
    expect(await Promise.all(costly)).toEqual([VALID, VALID, VALID])
  })
})

describe('a manifest that takes more than a thread has', () => {
  const pool = new LazyPool({
    threads: 1,
    endAfterMilliseconds: 3_600_000,
    heap: { youngMegabytes: 1, oldMegabytes: 24 },
  })
  let service: FileService
  beforeAll(async () => {
    service = await FileService.start(undefined, pool)
  })
  afterAll(async () => {
    await service.close()
    await pool.close()
  })

  test('is refused, and what waits behind it is validated', async () => {
    const validate = async (body: string) => {
      const { status, text } = await service.ask('POST', PATH, { body })
      return [status, text]
    }
    const bodies = [SMALL, keys(20_000), SMALL, keys(20_000), SMALL]
    const [, refused, ...others] = await Promise.all(bodies.map(validate))
    const message = 'this takes more memory than it may; give less, or ask for less, at a time'
    const refusal = [413, JSON.stringify({ error: message, message })]
    expect([refused, ...others]).toEqual([refusal, VALID, refusal, VALID])
    expect(await validate(SMALL)).toEqual(VALID)
  })
})

/** A body that never ends. */
function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('a: 1\n')) })
}
