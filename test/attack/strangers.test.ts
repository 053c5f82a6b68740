import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertUpload, removeUpload } from '../../engine/submission/files/upload-store.ts'
import { caseOf, fileOf, sampleOf } from '../submission/support/documents.ts'
import { FileService, md5Of, someBytes } from '../submission/support/file-service.ts'
import { ServedSubmission } from '../submission/support/served.ts'
import { idOf, MadeSubmission } from '../submission/support/service.ts'

// A user without rights on a project must get the same answers as for a project, entity or file that does not exist.

describe('projects', () => {
  let made: MadeSubmission
  let served: ServedSubmission
  beforeAll(async () => {
    made = await MadeSubmission.open()
    served = new ServedSubmission(made.submission)
    for (const id of ['ONE-A', 'ONE-B', 'TWO-C']) await made.register(id)
    const roles = ['read', 'create', 'update', 'delete', 'release']
    served.know('of A', { 'ONE-A': roles })
    served.know('of A and B', { 'ONE-A': roles, 'ONE-B': ['download'] })
    served.know('of none', {})
    served.know('of an unregistered one', { 'TWO-NEW': roles })
    await made.seed('ONE-A', { type: 'case', name: 'own' })
    await made.seed('ONE-B', { type: 'case', name: 'theirs' })
  })
  afterAll(() => made.close())

  const UNKNOWN = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

  test.each([
    ['admin', { '': ['ONE', 'TWO'], ONE: ['A', 'B'], TWO: ['C'] }],
    ['of A', { '': ['ONE'], ONE: ['A'], TWO: null }],
    ['of A and B', { '': ['ONE'], ONE: ['A', 'B'], TWO: null }],
    ['of none', { '': [], ONE: null, TWO: null }],
    ['of an unregistered one', { '': ['TWO'], ONE: null, TWO: [] }],
  ] as const)('are listed for whom they are: %s', async (as, lists) => {
    const all: Readonly<Record<string, readonly string[] | null>> = lists
    for (const [program, names] of Object.entries(all)) {
      const path = program === '' ? '/submission' : `/submission/${program}`
      const { status, body } = await served.ask('GET', path, { as })
      const wanted = names?.map((name) => `${path}/${name}`)
      expect([path, status, body.links]).toEqual([path, wanted ? 200 : 404, wanted])
    }
  })

  const tails: readonly (readonly [method: string, tail: string])[] = [
    ['POST', ''],
    ['PUT', ''],
    ['PATCH', '/_dry_run'],
    ['DELETE', ''],
    ['GET', `/entities/${UNKNOWN}`],
    ['DELETE', `/entities/${UNKNOWN}`],
    ['POST', '/transactions/1/commit'],
    ['PUT', '/transactions/1/close'],
    ['POST', '/open'],
    ['POST', '/review'],
    ['POST', '/submit'],
    ['POST', '/release'],
    ['GET', '/_dictionary'],
    ['GET', '/_dictionary/case'],
    ['GET', '/template/case'],
  ]

  test.each([null, 'wrong', 'of none', 'of A', 'of an unregistered one'])(
    'answer as if there were none: %s',
    async (as) => {
      const pairs = as === 'of A' ? [['ONE/B', 'ONE/NO']] : []
      pairs.push(['TWO/C', as === 'of an unregistered one' ? 'TWO/NO' : 'NO/C'])
      for (const [hidden = '', none = ''] of pairs) {
        for (const [method, tail] of tails) {
          const answers = [hidden, none].map(async (names) => {
            const path = `/submission/${names}${tail}`
            const sent = { as, ...(method !== 'GET' && { body: caseOf('new') }) }
            const { status, text } = await served.ask(method, path, sent)
            const [program = '', code = ''] = names.split('/')
            const told = text.replaceAll(names, 'P/C').replaceAll(`${program} `, 'P ')
            return [method, tail, status, told.replaceAll(`${code} `, 'C ')]
          })
          const [one, other] = await Promise.all(answers)
          expect(one).toEqual(other)
        }
      }
    },
  )

  test('keep the names of their entities: another project is told nothing by an id', async () => {
    const put = async (method: string, document: object, as = 'of A') => {
      const { status, body, text } = await served.ask(method, '/submission/ONE/A', {
        body: document,
        as,
      })
      expect([as, method, text]).toEqual([as, method, expect.not.stringContaining('ONE-B')])
      return { status, errors: body.entities[0]?.errors, told: text }
    }
    const given = (id: string) => ({ ...caseOf('new'), projects: { code: 'A' }, id })
    const ofFile = (id: string) => ({ ...fileOf('file', { cases: { submitter_id: 'own' } }), id })
    const below = (id: string) => ({ ...sampleOf('sample', 'own'), cases: { id } })
    for (const method of ['POST', 'PUT', 'PATCH']) {
      for (const document of [ofFile, below, ...(method === 'PATCH' ? [given] : [])]) {
        const [theirs, nobodys] = [
          await put(method, document(idOf('theirs'))),
          await put(method, document(UNKNOWN)),
        ]
        const { status, errors } = theirs
        const withoutId = JSON.parse(
          JSON.stringify(errors).replaceAll(idOf('theirs'), UNKNOWN),
        ) as unknown
        expect([status, withoutId]).toEqual([nobodys.status, nobodys.errors])
        expect(status).toBe(400)
      }
    }
    for (const method of ['POST', 'PUT']) {
      const { status, errors } = await put(method, given(idOf('theirs')))
      expect([status, errors]).toEqual([
        400,
        [
          {
            keys: ['id'],
            message: 'Cannot create an entity with an id that already exists.',
            type: 'NOT_UNIQUE',
          },
        ],
      ])
    }
  })

  test('are named to whoever has a right on both', async () => {
    const document = { ...caseOf('new'), projects: { code: 'A' }, id: idOf('theirs') }
    for (const as of ['admin', 'of A and B']) {
      const { body } = await served.ask('PUT', '/submission/ONE/A', { body: document, as })
      expect(body.entities[0]?.errors).toMatchObject([
        { message: 'Entity is owned by project ONE-B, not ONE-A', type: 'INVALID_PERMISSIONS' },
      ])
    }
  })
})

describe('files that are not released', () => {
  let service: FileService
  let id: string
  beforeAll(async () => {
    service = await FileService.start()
    const bytes = someBytes(1000)
    id = await service.add({ name: 'x.bam', bytes })
    await service.file('PUT', id, '', { body: bytes })
    await service.engine.submission.files.idle()
    expect(await service.stateOf(id)).toBe('validated')
  })
  afterAll(() => service.close())

  test('are not there for who has no right on their project', async () => {
    const stranger = await service.engine.shared.tokens.create({
      user: 'stranger',
      projects: ['GDC-OTHER'],
    })
    const unknown = crypto.randomUUID()
    const tails = (one: string) => [
      ...[`/data/${one}`, `/data/${one},${unknown}`, `/data/${one}?compress=true`],
      ...[`/slicing/view/${one}`, `/data/${unknown},${one}`],
    ]
    for (const token of [null, 'wrong', stranger.secret]) {
      for (const [i, path] of tails(id).entries()) {
        const same = tails(crypto.randomUUID())[i] ?? ''
        const [heard, other] = [
          await service.ask('GET', path, { token }),
          await service.ask('GET', same, { token }),
        ]
        const told = ({ text }: { readonly text: string }) =>
          text.replaceAll(/[0-9a-f-]{36}/g, 'ID')
        expect([path, heard.status, told(heard)]).toEqual([path, other.status, told(other)])
        expect(heard.status).toBe(404)
      }
    }
  })

  test('are told of by no door: neither status, headers nor length differ from those of unknown ones', async () => {
    const bytes = someBytes(1000)
    const stranger = await service.engine.shared.tokens.create({
      user: 'another stranger',
      projects: ['GDC-OTHER'],
    })
    const json = { 'content-type': 'application/json' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const table = { 'content-type': 'text/tsv' }
    const drs = '/ga4gh/drs/v1/objects'
    type Headers = Readonly<Record<string, string>>
    type Door = readonly [method: string, path: string, body?: string | object, headers?: Headers]
    const doorsOf = (one: string, md5: string, name: string): readonly Door[] => [
      ...['.bai', '.csi', '.crai', '?tarfile', '?related_files=true'].map(
        (tail): Door => ['GET', `/data/${one}${tail}`],
      ),
      ['HEAD', `/data/${one}`],
      ['POST', '/data', { ids: [one] }, json],
      ['POST', '/data', `ids=${one}&downloadCookieKey=key&downloadCookiePath=/`, form],
      ['GET', `/manifest/${one}`],
      ['POST', '/manifest', `ids=${one}`, form],
      ['GET', `/files/${one}`],
      ['GET', `/files/versions/${one}`],
      ['POST', '/files/versions', { ids: [one] }, json],
      ['POST', '/files/versions/manifest', `id\n${one}\n`, table],
      ['GET', `/history/${one}`],
      ...['reads', 'variants'].flatMap((kind): Door[] => [
        ['GET', `/${kind}/${one}`],
        ['GET', `/${kind}/${name}`],
        ['GET', `/${kind}/${one}/blocks?region=1`],
        ['POST', `/${kind}/${one}`, { regions: [{ referenceName: '1' }] }, json],
      ]),
      ['GET', `/alignments/${one}/coverage?region=1`],
      ['GET', `/alignments/${one}/records?region=1`],
      ['POST', `/slicing/view/${one}`, { regions: ['1'] }, json],
      ...['GET', 'OPTIONS'].map((method): Door => [method, `${drs}/${one}`]),
      ['GET', `${drs}/${one}.with-index`],
      ['GET', `${drs}/${one}/access/https`],
      ['GET', `${drs}/checksum/${md5}`],
      ['POST', drs, { bulk_object_ids: [one] }, json],
      [
        'POST',
        `${drs}/access`,
        { bulk_object_access_ids: [{ bulk_object_id: one, bulk_access_ids: ['https'] }] },
        json,
      ],
      ['GET', `/tile/metadata/${one}`],
      ['POST', '/scrna_seq/gene_expression', { file_id: one, gene_ids: ['ENSG1'] }, json],
      ['POST', '/scrna_seq/cell_annotations', { file_id: one }, json],
      ['GET', `/quick_search?query=${one}`],
      ['GET', `/quick_search?query=${name}`],
    ]
    const told = async (
      [method, path, body, headers = {}]: Door,
      token: string | null,
      names: readonly string[],
    ) => {
      const text = typeof body === 'string' ? body : body && JSON.stringify(body)
      const answer = await service.ask(method, path, {
        token,
        headers,
        ...(text && { body: text }),
      })
      const all = Object.fromEntries(answer.headers)
      const { date: _, 'x-request-id': __, ...rest } = all
      const plain = (heard: string) => names.reduce((so, one) => so.replaceAll(one, 'NAME'), heard)
      return [method, plain(path), answer.status, plain(JSON.stringify(rest)), plain(answer.text)]
    }
    const [unknownId, otherMd5] = [crypto.randomUUID(), md5Of(someBytes(1000, 9))]
    const known = [id, md5Of(bytes), 'x.bam'] as const
    const unknown = [unknownId, otherMd5, 'y.bam'] as const
    const doors = doorsOf(...known)
    const others = doorsOf(...unknown)
    const heardBy = async (token: string | null) => {
      const heard: string[] = []
      for (const [i, door] of doors.entries()) {
        const one = await told(door, token, known)
        const other = await told(others[i] ?? door, token, unknown)
        if (!isDeepStrictEqual(one, other)) heard.push(`${door[0]} ${door[1]}`)
      }
      return heard
    }
    // A user with rights learns of the project, so the requests are not refused for another reason.
    expect((await heardBy(service.admin)).length).toBeGreaterThan(20)
    for (const token of [null, 'wrong', stranger.secret]) expect(await heardBy(token)).toEqual([])
  })

  test('are told to wait for where their bytes have arrived and nobody has stored them yet', async () => {
    const { database } = service.engine.submission
    const waiting = await service.add({ name: 'y.bam', bytes: someBytes(1000) })
    const upload = { id: crypto.randomUUID(), entityId: waiting, kind: 'whole' } as const
    const own = await service.token('create')
    const other = await service.engine.shared.tokens.create({ user: 'o', projects: ['GDC-OTHER'] })
    const paths = (one: string) => [
      ...[`/data/${one}`, `/data/${id},${one}`, `/slicing/view/${one}?region=1`, `/reads/${one}`],
    ]
    /** Requests an id that does not exist, whose answer must have the same words. */
    const asOfNone = async (path: string, token: string | null) => {
      const unknown = crypto.randomUUID()
      const [heard, none] = await Promise.all(
        [path, path.replace(waiting, unknown)].map((one) => service.ask('GET', one, { token })),
      )
      expect([path, heard?.status]).toEqual([path, none?.status])
      expect(heard?.text.replaceAll(waiting, unknown)).toBe(none?.text)
    }
    // A server that was killed after its answer leaves the row like this. Until that is noticed, for a minute,
    // the upload belongs to that server.
    const row = { ...upload, server: 'killed', place: 'elsewhere' }
    for (const path of paths(waiting)) await asOfNone(path, service.admin)
    for (const step of ['receiving', 'checking', 'placing'] as const) {
      await database.write((rows) => insertUpload(rows, { ...row, step }, '2026-01-01T00:00:00Z'))
      for (const path of paths(waiting)) {
        for (const token of [null, 'wrong', other.secret]) await asOfNone(path, token)
        for (const token of [service.admin, own]) {
          if (step === 'receiving') await asOfNone(path, token)
          else {
            const { status, headers, text } = await service.ask('GET', path, { token })
            // The second id is a controlled file for which this token has no right.
            if (token === own && path.includes(',')) continue
            expect([path, status, headers.get('retry-after')]).toEqual([path, 503, '10'])
            expect(text).toContain('have arrived and are yet to be checked')
          }
        }
      }
      await database.write((rows) => removeUpload(rows, upload.id))
    }
    for (const path of paths(waiting)) await asOfNone(path, service.admin)
  })

  test('are there for the project: with a right to read, or told to be refused', async () => {
    for (const [role, status] of [
      ['read', 200],
      ['download', 200],
      ['create', 403],
    ] as const) {
      const token = await service.token(role)
      expect((await service.ask('GET', `/data/${id}`, { token })).status).toBe(status)
    }
  })
})
