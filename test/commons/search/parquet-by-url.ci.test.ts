import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  asyncBufferFromUrl,
  cachedAsyncBuffer,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Engine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { readConfig } from '../../../server/config.ts'
import { type RunningServer, startServer } from '../../../server/main.ts'
import { copyMadeRelease } from '../../made-release.ts'
import { openEngine } from '../../places.ts'
import { fakeStatus, keptLog } from '../contract/fake-engine.ts'

// An independent reader reads Parquet answers by URL and in ranges (data-commons.md 11.43). The expected
// contents are those of the JSON answer to the same request.

let folder = ''
let engine: Engine
let server: RunningServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-parquet-'))
  await copyMadeRelease(folder)
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  await engine.start()
  const config = readConfig({ flags: { port: 0, drainSeconds: 0, ratePerMinute: 0 } })
  server = await startServer({ engine, config, status: fakeStatus, log: keptLog(config).log })
})
afterAll(async () => {
  await server?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

const PATH = '/files?format=parquet&size=500&expand=cases'
const urlOf = (path: string) => `${server.address}${path}`

interface Sent {
  readonly method: string
  readonly range: string | null
  readonly status: number
  readonly bytes: number
}

/** A file opened by the reader, and the requests that it sent. */
async function opened(path: string) {
  const sent: Sent[] = []
  const file = await asyncBufferFromUrl({
    url: urlOf(path),
    async fetch(input, init) {
      const response = await fetch(input, init)
      const range = new Headers(init?.headers).get('range')
      const bytes = Number(response.headers.get('content-length'))
      sent.push({ method: init?.method ?? 'GET', range, status: response.status, bytes })
      return response
    },
  })
  return { file: cachedAsyncBuffer(file, { minSize: 1 << 10 }), sent }
}

const plain = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === 'bigint' ? Number(value) : (value ?? undefined),
    ]),
  )

test('one column of many is read by ranges', async () => {
  const { file, sent } = await opened(PATH)
  const metadata = await parquetMetadataAsync(file, { initialFetchSize: 8 << 10 })
  const read = await parquetReadObjects({ file, metadata, compressors, columns: ['file_id'] })
  const json = await fetch(urlOf('/files?size=500&fields=file_id'))
  const { data } = (await json.json()) as { data: { hits: readonly { file_id: string }[] } }
  expect(read).toEqual(data.hits.map(({ file_id }) => ({ file_id })))
  expect(sent[0]).toMatchObject({ method: 'HEAD', status: 200, bytes: file.byteLength })
  const ranges = sent.slice(1)
  expect(ranges.length).toBeGreaterThan(0)
  for (const { range, status } of ranges) expect([range === null, status]).toEqual([false, 206])
  const fetched = ranges.reduce((sum, { bytes }) => sum + bytes, 0)
  expect(fetched).toBeLessThan(file.byteLength)
})

test('all columns have the values of the JSON', async () => {
  const { file } = await opened(PATH)
  const read = (await parquetReadObjects({ file, compressors })) as Record<string, unknown>[]
  const json = await fetch(urlOf('/files?size=500&expand=cases'))
  const { data } = (await json.json()) as { data: { hits: readonly Record<string, unknown>[] } }
  expect(read).toHaveLength(data.hits.length)
  for (const [i, hit] of data.hits.entries()) {
    const row = plain(read[i] ?? {})
    const [firstCase] = hit.cases as readonly Record<string, unknown>[]
    expect([
      row.file_id,
      row.file_size,
      row['cases.0.case_id'],
      row['cases.0.submitter_id'],
    ]).toEqual([hit.file_id, hit.file_size, firstCase?.case_id, firstCase?.submitter_id])
  }
})

describe('as a file', () => {
  const get = (headers: Record<string, string> = {}, path = PATH) => fetch(urlOf(path), { headers })
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

  test('it has a length, an ETag and ranges', async () => {
    const whole = await get()
    const bytes = await bytesOf(whole)
    expect(whole.status).toBe(200)
    expect(whole.headers.get('content-length')).toBe(String(bytes.length))
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    expect(bytes.subarray(0, 4).toString()).toBe('PAR1')
    const etag = whole.headers.get('etag') ?? ''
    const part = await get({ Range: 'bytes=4-13', 'If-Range': etag })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 4-13/${bytes.length}`)
    expect(part.headers.get('content-length')).toBe('10')
    expect(await bytesOf(part)).toEqual(bytes.subarray(4, 14))
    expect(await bytesOf(await get({ Range: 'bytes=-4' }))).toEqual(Buffer.from('PAR1'))
    const other = await get({ Range: 'bytes=4-13', 'If-Range': '"other"' })
    expect([other.status, (await bytesOf(other)).length]).toEqual([200, bytes.length])
    expect((await get({ 'If-None-Match': etag })).status).toBe(304)
    expect((await get({ 'If-Match': '"other"' })).status).toBe(412)
    const beyond = await get({ Range: `bytes=${bytes.length}-` })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([
      ...[416, `bytes */${bytes.length}`],
    ])
  })

  test('it is made for its length only if that can be sent', async () => {
    const etag = (await get()).headers.get('etag') ?? ''
    const search = vi.spyOn(engine.commons.search, 'search')
    const isSized = async (headers: Record<string, string>) => {
      search.mockClear()
      await (await get(headers)).arrayBuffer()
      return search.mock.lastCall?.[2]?.isSized
    }
    expect(await isSized({ Range: 'bytes=0-3' })).toBe(true)
    expect(await isSized({ Range: 'bytes=0-3', 'If-Range': etag })).toBe(true)
    for (const headers of [
      { Range: 'bytes=0-3', 'If-Range': '"other"' },
      { Range: 'bytes=0-3,8-9' },
      { Range: 'lines=0-3' },
      { 'If-Match': '"other"' },
      { 'If-Match': etag },
    ]) {
      expect([headers, await isSized(headers)]).toEqual([headers, false])
    }
    search.mockRestore()
  })

  test('HEAD has the headers of GET', async () => {
    const head = await fetch(urlOf(PATH), { method: 'HEAD' })
    const whole = await get()
    await whole.arrayBuffer()
    for (const name of ['content-length', 'etag', 'accept-ranges', 'content-type']) {
      expect(head.headers.get(name)).toBe(whole.headers.get(name))
    }
  })

  test('a single record, a look-up and a POST are files, too', async () => {
    const { data } = (await (await get({}, '/files?size=1&fields=file_id')).json()) as {
      readonly data: { readonly hits: readonly { readonly file_id: string }[] }
    }
    const id = data.hits[0]?.file_id ?? ''
    for (const path of [`/files/${id}?format=parquet`, `/files/ids?query=${id}&format=parquet`]) {
      const part = await get({ Range: 'bytes=0-3' }, path)
      expect([part.status, await part.text()]).toEqual([206, 'PAR1'])
    }
    const posted = await fetch(urlOf('/files'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Range: 'bytes=0-3' },
      body: JSON.stringify({ format: 'parquet', size: 3 }),
    })
    expect([posted.status, await posted.text()]).toEqual([206, 'PAR1'])
    expect((await get({}, '/files/nobody?format=parquet')).status).toBe(404)
  })

  test('nothing of it lies in the data folder, and what is made again has equal bytes', async () => {
    const before = await bytesOf(await get())
    expect((await readdir(folder)).filter((name) => name.startsWith('parquet-'))).toEqual([])
    const other = await openEngine({ dataFolder: folder, executor: inlineExecutor })
    try {
      await other.start()
      const answer = await other.commons.search.search('files', {
        expand: ['cases'],
        from: 0,
        size: 500,
        format: 'parquet',
        pretty: false,
      })
      const chunks: Buffer[] = []
      for await (const chunk of answer.body) chunks.push(Buffer.from(chunk))
      expect(Buffer.concat(chunks)).toEqual(before)
    } finally {
      await other.close()
    }
  })
})
