import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { available } from '../available.ts'
import { sample } from '../depth.ts'
import { PostgresServer } from '../shared/database/support/postgres.ts'
import { FileService, md5Of } from '../submission/support/file-service.ts'
import { Line, type SentRequest } from './support/line.ts'
import { type FileUpload, installedUploader, type UploadClient } from './support/upload-client.ts'
import { replayedUploader } from './support/upload-replay.ts'

// Replays the requests with which gdc-client 2.x uploads submitted files (submission.md 14). If GDC_CLIENT names
// the program, it uploads the same files, and the replay is compared with it.

const PROGRAM = process.env.GDC_CLIENT ?? ''

const SMALL = randomBytes(300_000)
/** Two parts of the client's minimum size, and part of a third. */
const LARGE = randomBytes(2 * 5_246_976 + 100_000)

/** Uploads are stored in the folder, or in a bucket shared by services with one database. */
const PLACES = sample(['folder', 'bucket'] as const, 1)

/** The resources that a service needs besides its folder. */
class Surroundings {
  readonly #postgres = new PostgresServer()
  #s3: S3Server | undefined

  async start(place: (typeof PLACES)[number]): Promise<FileService> {
    if (place === 'folder') return FileService.start()
    await this.#postgres.start()
    this.#s3 = await startS3()
    return FileService.start(this.#s3.options, undefined, await this.#postgres.url())
  }

  async stop(): Promise<void> {
    await this.#postgres.stop()
    await this.#s3?.stop()
  }
}

const canRun = (place: (typeof PLACES)[number]) => place === 'folder' || available.postgresql

describe.each(PLACES.filter(canRun))('with uploads in a %s', (place) => {
  const started = new Surroundings()
  const folder = mkdtempSync(join(tmpdir(), 'casemill-upload-'))
  let service: FileService
  let line: Line
  let made = 0

  beforeAll(async () => {
    service = await started.start(place)
    line = await Line.to(service.address)
  })
  afterAll(async () => {
    await line?.cut()
    await service?.close()
    await started.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => void line.takeRequests())

  async function add(bytes: Buffer) {
    const name = `reads_${++made}.bam`
    await writeFile(join(folder, name), bytes)
    return { id: await service.add({ name, bytes }), name }
  }

  /** The requests that were sent, with placeholders for ids. */
  const asked = (requests: readonly SentRequest[]) =>
    requests.map(({ line: text }) =>
      text
        .replace(/ HTTP.*/, '')
        .replace('/v0/submission', '')
        .replace(/files\/[0-9a-f-]{36}/, 'FILE')
        .replace(/uploadId=[0-9a-f-]{36}/, 'U'),
    )

  const settled = async (id: string) => {
    await service.engine.submission.files.idle()
    return service.stateOf(id)
  }

  describe.each([
    { client: replayedUploader, isHere: true },
    { client: installedUploader(PROGRAM), isHere: PROGRAM !== '' },
  ])('$client.name', ({ client, isHere }) => {
    const here = test.skipIf(!isHere)
    const upload = (what: Partial<FileUpload>) =>
      client.upload({ server: line.address, folder, token: service.admin, ...what })

    here('uploads small files by the manifest that it was given', async () => {
      const files = [await add(SMALL), await add(SMALL)]
      const ids = files.map(({ id }) => id).join()
      const manifest = join(folder, 'manifest.yaml')
      const given = await service.ask('GET', `/v0/submission/GDC/MISC/manifest?ids=${ids}`)
      expect(given.headers.get('content-disposition')).toContain('submission_manifest.yaml')
      await writeFile(manifest, given.text)
      const said = await upload({ manifest })
      for (const { id } of files) {
        expect(said).toContain(`Upload finished for file ${id}`)
        expect(await settled(id), said).toBe('validated')
      }
      const one = ['PUT /GDC/MISC/FILE/_dry_run', 'PUT /GDC/MISC/FILE']
      expect(asked(line.takeRequests())).toEqual([...one, ...one])
    })

    here('asks for project and name of a file that it has only the id of', async () => {
      const { id } = await add(SMALL)
      const said = await upload({ id })
      expect(await settled(id), said).toBe('validated')
      expect(asked(line.takeRequests())).toEqual([
        ...['POST /graphql', 'POST /graphql'],
        ...['PUT /GDC/MISC/FILE/_dry_run', 'PUT /GDC/MISC/FILE'],
      ])
    })

    here('uploads a large file in parts, and the server has what was sent', async () => {
      const { id } = await add(LARGE)
      const said = await upload({ id, projectId: 'gdc-misc' })
      expect(said).toContain(`Multipart upload finished for file ${id}`)
      expect(await settled(id), said).toBe('validated')
      expect(await service.engine.shared.files.find(id)).toMatchObject({ md5: md5Of(LARGE) })
      const requests = asked(line.takeRequests()).filter((text) => !text.includes('graphql'))
      expect(requests.slice(0, 2)).toEqual(['POST /GDC/MISC/FILE?uploads', 'GET /GDC/MISC/FILE?U'])
      expect(requests.slice(2, 5).sort()).toEqual(
        [1, 2, 3].map((number) => `PUT /GDC/MISC/FILE?U&partNumber=${number}`),
      )
      expect(requests.slice(5)).toEqual([
        ...['GET /GDC/MISC/FILE?U', 'GET /GDC/MISC/FILE?U', 'POST /GDC/MISC/FILE?U'],
      ])
    })

    here('uploads a large file in one body when it is told to', async () => {
      const { id } = await add(LARGE)
      const said = await upload({ id, projectId: 'GDC-MISC', isSimple: true })
      expect(await settled(id), said).toBe('validated')
    })

    here('goes on with an upload that was broken off, also by the end of the server', async () => {
      const { id } = await add(LARGE)
      const uploadId = await service.begin(id)
      for (const number of [1, 3]) {
        const part = LARGE.subarray((number - 1) * 5_246_976, number * 5_246_976)
        await service.part(id, uploadId, number, part)
      }
      await line.cut()
      await service.down()
      await service.up()
      line = await Line.to(service.address)
      const said = await upload({ id, projectId: 'GDC-MISC', uploadId })
      expect(await settled(id), said).toBe('validated')
      const parts = asked(line.takeRequests()).filter((text) => text.includes('partNumber'))
      expect(parts).toEqual(['PUT /GDC/MISC/FILE?U&partNumber=2'])
    })

    here('gives up an upload, and removes data', async () => {
      const { id } = await add(SMALL)
      const uploadId = await service.begin(id)
      expect(await upload({ id, projectId: 'GDC-MISC', uploadId, request: 'abort' })).toContain(
        'Abort',
      )
      expect(await service.stateOf(id)).toBe('registered')
      await service.file('PUT', id, '', { body: SMALL })
      await settled(id)
      expect(await upload({ id, request: 'delete' })).toContain(`Delete file ${id}`)
      expect(await service.stateOf(id)).toBe('registered')
      expect(service.kept(id)).toEqual([])
    })

    here('is told why it may not', async () => {
      const { id } = await add(SMALL)
      const token = await service.token('read')
      const may = { id, projectId: 'GDC-MISC' }
      expect(await upload({ ...may, token })).toContain("You don't have create role to do 'upload'")
      expect(await upload({ ...may, token: 'nobody' })).toContain('Your token is invalid')
      await service.file('PUT', id, '', { body: SMALL })
      await settled(id)
      expect(await upload(may)).toContain('File in validated state, upload not allowed')
      expect(await upload({ id: crypto.randomUUID(), projectId: 'GDC-NONE' })).toContain(
        'not found',
      )
    })
  })

  test.skipIf(PROGRAM === '')('the replay sends what the client sends', async () => {
    const sentBy = async (client: UploadClient, bytes: Buffer, what: Partial<FileUpload>) => {
      const { id, name } = await add(bytes)
      await client.upload({ server: line.address, folder, token: service.admin, id, ...what })
      await settled(id)
      return line
        .takeRequests()
        .map((sent) => comparable(sent, name))
        .sort()
    }
    for (const [bytes, what] of [
      [SMALL, {}],
      [LARGE, { projectId: 'GDC-MISC' }],
      [LARGE, { isSimple: true }],
      [SMALL, { projectId: 'GDC-MISC', request: 'delete' }],
      [SMALL, { projectId: 'GDC-MISC', request: 'abort', uploadId: crypto.randomUUID() }],
    ] as const) {
      const sent = await sentBy(installedUploader(PROGRAM), bytes, what)
      expect(await sentBy(replayedUploader, bytes, what)).toEqual(sent)
    }
  })

  /** Returns a request without the parts that differ between runs. */
  function comparable({ line: text, headers, body }: SentRequest, name: string): string {
    const told = headers.map(([header, value]) =>
      [header, value.replace(/^(python-requests)\/.*/, '$1')].join(': '),
    )
    const isBytes = /octets|^(?:PUT)/.test(text)
    const shown = isBytes ? md5Of(Buffer.from(body, 'latin1')) : body.replaceAll(name, 'NAME')
    const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
    return [text, ...told, shown].join('\n').replace(ids, 'ID')
  }
})
