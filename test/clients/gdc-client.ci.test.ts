import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Line, type SentRequest } from './support/line.ts'
import { ServedFolder } from './support/served-folder.ts'
import { transferGroup } from './support/small-files.ts'
import { md5Of } from './support/stored-state.ts'
import { type Download, installedClient, type TransferClient } from './support/transfer-client.ts'
import {
  type MadeFile,
  makeTransferData,
  manifestOf,
  type TransferData,
} from './support/transfer-data.ts'
import { replayedClient } from './support/transfer-replay.ts'

// Replays the requests of gdc-client 2.x against a server in a separate process (data-commons.md 8.1). If
// GDC_CLIENT names the program, it makes the same downloads, and the replay is compared with it.

const PROGRAM = process.env.GDC_CLIENT ?? ''

const MIB = 1 << 20
const root = mkdtempSync(join(tmpdir(), 'casemill-transfer-'))
let data: TransferData
let server: ServedFolder
let line: Line
let folder = ''

beforeAll(async () => {
  data = await makeTransferData(root)
  server = new ServedFolder(data.dataFolder)
  await server.start()
  line = await Line.to(server.address)
})
afterAll(async () => {
  await line?.cut()
  await server?.kill()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'got-'))
  line.takeRequests()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** The md5 of each downloaded file by path, without the client's notes on its progress. */
async function gotten(): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of names.filter((one) => one.isFile() && !one.parentPath.endsWith('logs'))) {
    const path = join(entry.parentPath, entry.name)
    found[path.slice(folder.length + 1)] = md5Of(await readFile(path))
  }
  return found
}

/** The form of a name that the client keeps unchanged (data-commons.md 11.15). */
const plain = (name: string) => name.replace(/[^\w.\-+@=]/g, '_')

const asStored = (files: readonly MadeFile[]) =>
  Object.fromEntries(files.map(({ id, name, md5 }) => [`${id}/${plain(name)}`, md5]))

const pathsOf = (requests: readonly SentRequest[]) =>
  requests.map(({ line: text }) => text.split(' ', 2).join(' '))

const headerOf = ({ headers }: SentRequest, name: string) =>
  headers.find(([one]) => one.toLowerCase() === name)?.[1]

const rangesOf = (requests: readonly SentRequest[], id: string) =>
  requests
    .filter((one) => one.line.startsWith(`GET /data/${id} `))
    .flatMap((one) => headerOf(one, 'range') ?? [])
    .sort((a, b) => Number(/\d+/.exec(a)) - Number(/\d+/.exec(b)))

const bytesOf = (range: string) => {
  const [start = 0, end = 0] = range.replace('bytes=', '').split('-').map(Number)
  return end - start + 1
}

describe.each([
  { client: replayedClient, isHere: true },
  { client: installedClient(PROGRAM), isHere: PROGRAM !== '' },
])('$client.name', ({ client, isHere }) => {
  const here = test.skipIf(!isHere)
  const download = (what: Omit<Download, 'server' | 'folder'>) =>
    client.download({ server: line.address, folder, ...what })

  here('downloads by id: ranges of a large file, its index and its annotations', async () => {
    const { large, index, annotationIds, token } = data
    const { succeeded, failed, said } = await download({ ids: [large.id], token })
    expect({ succeeded, failed }, said).toEqual({ succeeded: 1, failed: 0 })
    const { [`${large.id}/annotations.txt`]: _, ...files } = await gotten()
    expect(files, said).toEqual({
      [`${large.id}/${large.name}`]: large.md5,
      [`${large.id}/${index.name}`]: index.md5,
    })
    const text = await readFile(join(folder, large.id, 'annotations.txt'), 'utf8').catch(() => said)
    const [header, ...rows] = text.trimEnd().split('\n')
    expect(header?.split('\t')[0]).toBe('id')
    expect(rows.map((row) => row.split('\t')[0]).sort()).toEqual([...annotationIds].sort())

    const requests = line.takeRequests()
    const get = (id: string, times: number) => Array(times).fill(`GET /data/${id}`)
    expect(pathsOf(requests)).toEqual([
      ...['POST /files/versions', 'POST /v0/files', 'POST /v0/legacy/files'],
      ...get(large.id, 1 + 3),
      ...get(index.id, 2),
      'POST /data?compress',
    ])
    expect(rangesOf(requests, large.id)).toEqual([
      `bytes=0-${4 * MIB - 1}`,
      `bytes=${4 * MIB}-${8 * MIB - 1}`,
      `bytes=${8 * MIB}-${12 * MIB - 1}`,
    ])
    expect(rangesOf(requests, index.id)).toEqual([`bytes=0-${index.bytes.length - 1}`])
    const withToken = requests.filter((one) => headerOf(one, 'x-auth-token') === token)
    expect(withToken).toHaveLength(1 + 3 + 2)
  })

  here('asks for the bytes that are left over when the ranges are not equal', async () => {
    const { large, token } = data
    const { succeeded, said } = await download({ ids: [large.id], token, processes: 5 })
    expect(succeeded, said).toBe(1)
    expect(await gotten()).toMatchObject(asStored([large]))
    const ranges = rangesOf(line.takeRequests(), large.id)
    expect(ranges.map(bytesOf)).toEqual([...Array(5).fill(2_516_582), 2])
    expect(ranges.at(-1)).toBe('bytes=12582910-12582911')
  })

  here('downloads by manifest 500 small files in groups', async () => {
    const { small, token } = data
    const manifest = join(root, `manifest of ${client.name}`)
    await writeFile(manifest, await servedManifest(small))
    const { succeeded, failed, said } = await download({ manifest, token })
    expect({ succeeded, failed }, said).toEqual({ succeeded: 500, failed: 0 })
    expect(await gotten()).toEqual(asStored(small))
    const groups = line.takeRequests().filter((one) => one.line.startsWith('POST /data?tarfile '))
    const ids = groups.map(({ body }): string[] => JSON.parse(body).ids)
    expect(ids.flat().sort()).toEqual(small.map(({ id }) => id).sort())
    const access = new Map(small.map((file) => [file.id, file.access]))
    for (const group of ids) expect(new Set(group.map((id) => access.get(id))).size).toBe(1)
    expect(groups.length).toBeGreaterThan(4)
  })

  here('downloads the file that replaced the one asked for', async () => {
    const { current, replacedId } = data
    const { succeeded, failed, said } = await download({ ids: [replacedId], latest: true })
    expect({ succeeded, failed }, said).toEqual({ succeeded: 1, failed: 0 })
    expect(await gotten()).toEqual(asStored([current]))
  })

  here('is told the latest version where it asks for another one', async () => {
    const { current, replacedId } = data
    const { succeeded, said } = await download({ ids: [replacedId] })
    expect(succeeded).toBe(0)
    expect(said).toContain(`was superseded by ${current.id}; request that one`)
    expect(await gotten()).toEqual({})
  })

  here('gets the rest of a group of which one file is not stored', async () => {
    const { small, absent } = data
    const some = small.slice(0, 10).filter(({ access }) => access === 'open')
    const ids = [some[0], absent, ...some.slice(1)].flatMap((file) => file?.id ?? [])
    const { said } = await download({ ids })
    expect(await gotten(), said).toEqual(asStored(some))
    const paths = pathsOf(line.takeRequests())
    expect(paths.filter((path) => path.includes('data'))).toEqual(['POST /data?tarfile'])
  })

  here('gets by manifest what is stored, where files are absent and one was replaced', async () => {
    const { small, absent, absentLarge, current, replacedId, token } = data
    const some = small.slice(0, 10)
    const manifest = join(root, `old manifest of ${client.name}`)
    const replaced = { ...current, id: replacedId, name: 'counts-old.tsv' }
    await writeFile(manifest, manifestOf([absentLarge, replaced, absent, ...some]))
    const { said } = await download({ manifest, token })
    expect(await gotten(), said).toEqual(asStored(some))
    expect(said).toContain(`file ${absentLarge.id} is known, but its bytes are not stored here`)
    expect(said).toContain(`was superseded by ${current.id}; request that one`)

    const requests = line.takeRequests()
    const groups = requests.filter((one) => one.line.startsWith('POST /data?tarfile '))
    const ids = groups.map(({ body }): string[] => JSON.parse(body).ids)
    expect(ids.flat().sort()).toEqual([absent, ...some].map(({ id }) => id).sort())
    const openGroup = ids.find((group) => group.includes(absent.id))
    expect(openGroup?.length).toBeGreaterThan(1)
    const alone = pathsOf(requests).filter((path) => path.startsWith('GET /data/'))
    expect(new Set(alone)).toEqual(
      new Set([absentLarge.id, replacedId].map((id) => `GET /data/${id}`)),
    )
  })

  here('gets the others when nothing of a group is stored', async () => {
    const { absent, current } = data
    const { said } = await download({ ids: [absent.id, current.id] })
    expect(await gotten(), said).toEqual(asStored([current]))
    expect(pathsOf(line.takeRequests())).toContain('POST /data?tarfile')
  })

  here('finds every path when the address ends with a slash', async () => {
    const { current } = data
    const server = `${line.address}/`
    expect(await client.download({ server, folder, ids: [current.id] })).toMatchObject({
      succeeded: 1,
    })
    expect(await gotten()).toEqual(asStored([current]))
    expect(pathsOf(line.takeRequests())).toContain('POST //files/versions')
  })

  here('gets nothing that is controlled without a token, and the open rest', async () => {
    const { large, small, current } = data
    const some = small.slice(0, 20)
    const ids = [large, current, ...some].map(({ id }) => id)
    await download({ ids })
    const open = some.filter(({ access }) => access === 'open')
    expect(await gotten()).toEqual(asStored([current, ...open]))
  })

  here('resumes after the server was killed midway', async () => {
    const { large, index, token } = data
    const held = line.hold(5 * MIB)
    const broken = download({ ids: [large.id], token })
    await Promise.race([held, broken])
    await server.kill()
    await line.cut()
    expect((await broken).succeeded).toBe(0)
    expect(await gotten()).toEqual({ [`${large.id}/${large.name}.partial`]: expect.any(String) })

    await server.start()
    await line.open()
    line.takeRequests()
    const { succeeded, failed, said } = await download({ ids: [large.id], token, retries: 3 })
    expect({ succeeded, failed }, said).toEqual({ succeeded: 1, failed: 0 })
    expect(await gotten()).toMatchObject({
      [`${large.id}/${large.name}`]: large.md5,
      [`${large.id}/${index.name}`]: index.md5,
    })
    const asked = rangesOf(line.takeRequests(), large.id).map(bytesOf)
    const bytes = asked.reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(11 * MIB)
  })
})

test('what came with a wrong md5 is asked for again by a text instead of a list', async () => {
  const { id, name, access, md5, bytes } = data.small[2]!
  const file = { id, access, file_size: bytes.length, md5sum: md5, related: [], annotations: [] }
  const facts = new Map([[id, file]])
  const place = { server: line.address, folder, token: undefined }
  expect(await transferGroup(id, { ...place, facts })).toEqual([])
  expect(await gotten()).toEqual({ [`${id}/${name}`]: md5 })
  const other = new Map([[id, { ...file, md5sum: 'another' }]])
  expect(await transferGroup([id], { ...place, facts: other })).toEqual([id])
})

test.skipIf(PROGRAM === '')('the replay sends what the client sends', async () => {
  const { large, small, current, replacedId, token } = data
  const ids = [large, current, ...small.slice(0, 3)].map(({ id }) => id)
  const sentBy = async (client: TransferClient, what: Partial<Download>) => {
    const place = await mkdtemp(join(folder, 'one-'))
    await client.download({ server: line.address, folder: place, ids, ...what })
    return line.takeRequests().map(comparable).sort()
  }
  const downloads = [
    { token },
    { token, processes: 5 },
    {},
    { ids: [replacedId], latest: true },
  ] as const
  for (const what of downloads) {
    const sent = await sentBy(installedClient(PROGRAM), what)
    expect(await sentBy(replayedClient, what)).toEqual(sent)
  }
})

/** Returns a request without the parts that differ between runs, such as the client's arbitrary order of ids. */
function comparable({ line: text, headers, body }: SentRequest): string {
  const sorted = body.split(/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/)
  const ids = sorted.filter((_, i) => i % 2 === 1).sort()
  const rest = sorted.map((part, i) => (i % 2 === 1 ? ids.shift() : part)).join('')
  const agent = headers.map(([name, value]) =>
    [name, value.replace(/^(python-requests)\/.*/, '$1')].join(': '),
  )
  return [text, ...agent, rest].join('\n')
}

async function servedManifest(files: readonly MadeFile[]): Promise<string> {
  const answer = await fetch(`${server.address}/manifest`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ids: files.map(({ id }) => id) }),
  })
  expect(answer.status).toBe(200)
  return answer.text()
}
