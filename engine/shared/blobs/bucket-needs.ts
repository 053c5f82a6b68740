import { randomBytes } from 'node:crypto'
import type { BucketTrial } from './bucket-trial.ts'
import { isReplaced, isUnsupported, statusOf } from './object-errors.ts'

/** Result of trying a need that does not hold. */
interface Finding {
  readonly problem: string
  /** Whether casemill does without, at a price that the problem names. */
  readonly isNote?: boolean
}

/** Something that casemill needs of object storage, and how to try it. */
export interface BucketNeed {
  /** Short name, in lower case. */
  readonly name: string
  /** Predicate of a sentence about the storage. */
  readonly what: string
  /** Purpose in casemill. */
  readonly usedFor: string
  /** Tries it. May also throw the error of a request. */
  attempt(trial: BucketTrial): Promise<Finding | undefined>
}

const MIB = 1 << 20
/** Parts of different sizes, the smallest that S3 takes among them. */
const PART_BYTES = [5 * MIB, 5 * MIB + 1, 1000] as const
const ANOTHER_TAG = '"0123456789abcdef0123456789abcdef"'
/** Signs that URLs, signatures or XML treat in a way of their own. */
const HARD_NAME = 'Größe & <1>+50% of "a" = b?.bam'
/** Presigned URLs are valid for 15 minutes. */
const MAX_CLOCK_SECONDS = 300

/** All needs of casemill, in the order in which they are tried. The first is a condition of all others. */
export const BUCKET_NEEDS: readonly BucketNeed[] = [
  {
    name: 'objects',
    what: 'has an object, also an empty one, whole and with its size as soon as it was stored',
    usedFor: 'all files in the bucket',
    async attempt(trial) {
      for (const size of [1000, 0]) {
        const bytes = randomBytes(size)
        await trial.put('object', bytes)
        const head = await trial.head('object')
        if (head?.ContentLength !== size) {
          return seen(
            `an object of ${size} bytes is reported with ${head?.ContentLength ?? 'none'}`,
          )
        }
        const read = await trial.read('object')
        if (!read.bytes.equals(bytes)) return seen(`other bytes are read than the ${size} stored`)
      }
      return undefined
    },
  },
  {
    name: 'names',
    what: 'takes names with blanks, signs and letters of any language',
    usedFor: 'files under the names that they came with',
    async attempt(trial) {
      const bytes = randomBytes(100)
      await trial.put(`names/${HARD_NAME}`, bytes)
      if (!(await trial.read(`names/${HARD_NAME}`)).bytes.equals(bytes)) {
        return seen(`other bytes are read than stored as ${HARD_NAME}`)
      }
      const { names } = await trial.list('names/')
      if (names.join() === `names/${HARD_NAME}`) return undefined
      return seen(`${HARD_NAME} is listed as ${JSON.stringify(names)}`)
    },
  },
  {
    name: 'absent',
    what: 'answers 404 for an object that does not exist',
    usedFor: 'telling a missing file from a storage that is away',
    async attempt(trial) {
      // Without the permission to list the bucket, S3 answers 403, which is thrown.
      return (await trial.head('absent')) === undefined ? undefined : seen('there is an object')
    },
  },
  {
    name: 'removal',
    what: 'has an object no more as soon as it was removed, and removes it again without an error',
    usedFor: 'removing files, and removing them once more after a crash',
    async attempt(trial) {
      await trial.put('removal/object', randomBytes(10))
      await trial.remove('removal/object')
      if (await trial.head('removal/object')) return seen('a removed object is still there')
      if ((await trial.list('removal/')).names.length > 0) return seen('it is still listed')
      await trial.remove('removal/object')
      return undefined
    },
  },
  {
    name: 'entity-tag',
    what: 'names the same strong entity tag for equal bytes in all answers, and another for others',
    usedFor: 'noticing that a file was replaced; indexes and caches of a file are kept by its tag',
    async attempt(trial) {
      const bytes = randomBytes(100)
      await trial.put('tag', bytes)
      const [head, read] = [await trial.head('tag'), await trial.read('tag')]
      if (!head?.ETag || head.ETag.startsWith('W/'))
        return seen(`the tag is ${head?.ETag ?? 'none'}`)
      if (head.ETag !== read.tag) return seen(`HEAD answers ${head.ETag}, and GET ${read.tag}`)
      await trial.put('tag', bytes)
      if ((await trial.head('tag'))?.ETag !== head.ETag) return seen('equal bytes get another tag')
      const others = randomBytes(100)
      await trial.put('tag', others)
      if ((await trial.head('tag'))?.ETag === head.ETag) return seen('other bytes get the same tag')
      return (await trial.read('tag')).bytes.equals(others)
        ? undefined
        : seen('old bytes are read after an object was replaced')
    },
  },
  {
    name: 'ranges',
    what: 'answers a range of an object with its bytes and Content-Range',
    usedFor: 'slices, downloads that go on, all reads of a part of a file',
    async attempt(trial) {
      const bytes = randomBytes(1000)
      await trial.put('ranges', bytes)
      for (const [first, last] of [
        [0, 0],
        [0, 99],
        [500, 699],
        [999, 999],
        [0, 999],
      ] as const) {
        const range = `bytes=${first}-${last}`
        const read = await trial.read('ranges', { range })
        if (read.contentRange !== `bytes ${first}-${last}/1000`) {
          return seen(
            `${range} of 1000 is answered with Content-Range ${read.contentRange ?? '(none)'}`,
          )
        }
        if (!read.bytes.equals(bytes.subarray(first, last + 1))) {
          return seen(`${range} of 1000 is answered with other bytes`)
        }
      }
      return undefined
    },
  },
  {
    name: 'if-match',
    what: 'keeps If-Match: 412 if the object has another entity tag',
    usedFor: 'never joining bytes of two versions of a file',
    async attempt(trial) {
      const tag = await trial.put('if-match', randomBytes(100))
      await trial.read('if-match', { range: 'bytes=0-9', ifMatch: tag })
      return refused(
        trial.read('if-match', { range: 'bytes=0-9', ifMatch: ANOTHER_TAG }),
        [412],
        'a read with another If-Match is answered with bytes',
      )
    },
  },
  {
    name: 'lists',
    what: 'lists each key below a prefix once, over several pages',
    usedFor: 'checks, backups, releases and what is left of unfinished work',
    async attempt(trial) {
      const names = ['a', 'a-b', 'a/b', 'a0', 'b'].map((name) => `lists/${name}`)
      for (const name of [...names, 'lists-of-others']) await trial.put(name, randomBytes(10))
      const all = await trial.list('lists/')
      const paged = await trial.list('lists/', 2)
      for (const listed of [all.names, paged.names]) {
        if (listed.toSorted().join() !== names.join()) {
          return seen(`${names.join(', ')} are listed as ${listed.join(', ')}`)
        }
      }
      return undefined
    },
  },
  {
    name: 'parts',
    what: 'joins parts of at least 5 MiB and of different sizes, sent in any order, and shows nothing before',
    usedFor: 'files of more than 8 MiB',
    async attempt(trial) {
      const parts = PART_BYTES.map((size) => randomBytes(size))
      const id = await trial.beginUpload('parts')
      const tags: (string | undefined)[] = []
      for (const i of [2, 0, 1]) tags[i] = await trial.putPart('parts', id, i + 1, parts[i]!)
      if (await trial.head('parts')) return seen('there is an object before the upload is complete')
      await trial.completeUpload('parts', id, tags)
      const bytes = Buffer.concat(parts)
      const head = await trial.head('parts')
      if (head?.ContentLength !== bytes.length) {
        return seen(`the object has ${head?.ContentLength ?? 'none'} of ${bytes.length} bytes`)
      }
      const seam = PART_BYTES[0]
      const range = `bytes=${seam - 50}-${seam + 49}`
      const read = await trial.read('parts', { range, ifMatch: head.ETag })
      if (read.tag !== head.ETag) return seen(`HEAD answers ${head.ETag}, and GET ${read.tag}`)
      if (!read.bytes.equals(bytes.subarray(seam - 50, seam + 50))) {
        return seen('other bytes are read where two parts meet')
      }
      return (await trial.read('parts')).bytes.equals(bytes)
        ? undefined
        : seen('other bytes are read than sent')
    },
  },
  {
    name: 'part-tags',
    what: 'completes no upload that names a part by another entity tag',
    usedFor: 'noticing that another process has sent a part again',
    async attempt(trial) {
      const id = await trial.beginUpload('part-tags')
      await trial.putPart('part-tags', id, 1, randomBytes(100))
      const completed = trial.completeUpload('part-tags', id, [ANOTHER_TAG])
      const found = await refused(completed, [400, 404, 409, 412], 'the upload is completed')
      if (found) return found
      return (await trial.head('part-tags')) ? seen('there is an object nevertheless') : undefined
    },
  },
  {
    name: 'uploads',
    what: 'lists unfinished uploads, ends them, and takes no parts for them afterwards',
    usedFor: 'freeing what interrupted uploads have left',
    async attempt(trial) {
      const id = await trial.beginUpload('uploads')
      await trial.putPart('uploads', id, 1, randomBytes(100))
      const { Bucket, Key } = trial.at('uploads')
      const command = new trial.sdk.ListMultipartUploadsCommand({ Bucket, Prefix: Key })
      let found: Finding | undefined
      try {
        const { Uploads = [] } = await trial.send((client, sending) =>
          client.send(command, sending),
        )
        if (!Uploads.some(({ UploadId }) => UploadId === id)) {
          return seen('an unfinished upload is not listed')
        }
      } catch (error) {
        const status = statusOf(error) ?? 0
        if (![403, 405, 501].includes(status)) throw error
        found = noted(
          `uploads cannot be listed (status ${status}); a lifecycle rule has to end unfinished ones`,
        )
      }
      await trial.abortUpload('uploads', id)
      const part = trial.putPart('uploads', id, 2, randomBytes(100))
      return (await refused(part, [404], 'a part is taken after the upload was ended')) ?? found
    },
  },
  {
    name: 'copies',
    what: 'copies an object if it has the entity tag that was named, else answers 412',
    usedFor: 'submitted files of one part',
    async attempt(trial) {
      const bytes = randomBytes(1000)
      const tag = await trial.put('copies/from', bytes)
      const copy = (entityTag: string | undefined, name: string) => {
        const command = new trial.sdk.CopyObjectCommand({
          ...trial.at(name),
          CopySource: encodeURI(`${trial.bucket}/${trial.at('copies/from').Key}`),
          CopySourceIfMatch: entityTag,
        })
        return trial.send((client, sending) => client.send(command, sending))
      }
      try {
        await copy(tag, 'copies/to')
      } catch (error) {
        if (isUnsupported(error)) return noted(MOVES_BYTES)
        throw error
      }
      if (!(await trial.read('copies/to')).bytes.equals(bytes))
        return seen('other bytes are copied')
      return checkedCopy(copy(ANOTHER_TAG, 'copies/other'))
    },
  },
  {
    name: 'part-copies',
    what: 'copies a range of an object into a part if it has the entity tag that was named, else answers 412',
    usedFor: 'submitted files of several parts',
    async attempt(trial) {
      const parts = [randomBytes(5 * MIB), randomBytes(5 * MIB)]
      const source = await trial.beginUpload('part-copies/from')
      const sent: (string | undefined)[] = []
      for (const [i, part] of parts.entries()) {
        sent.push(await trial.putPart('part-copies/from', source, i + 1, part))
      }
      await trial.completeUpload('part-copies/from', source, sent)
      const tag = (await trial.head('part-copies/from'))?.ETag
      const id = await trial.beginUpload('part-copies/to')
      const copy = (number: number, range: string, entityTag: string | undefined) => {
        const command = new trial.sdk.UploadPartCopyCommand({
          ...trial.at('part-copies/to'),
          UploadId: id,
          PartNumber: number,
          CopySource: encodeURI(`${trial.bucket}/${trial.at('part-copies/from').Key}`),
          CopySourceRange: range,
          CopySourceIfMatch: entityTag,
        })
        return trial.send((client, sending) => client.send(command, sending))
      }
      let found: Finding | undefined
      try {
        found = await checkedCopy(copy(1, 'bytes=0-99', ANOTHER_TAG))
      } catch (error) {
        if (isUnsupported(error)) return noted(MOVES_BYTES)
        throw error
      }
      const [middle, end] = [7 * MIB, 10 * MIB]
      const tags: (string | undefined)[] = []
      for (const [i, range] of [`bytes=0-${middle - 1}`, `bytes=${middle}-${end - 1}`].entries()) {
        try {
          tags.push((await copy(i + 1, range, tag)).CopyPartResult?.ETag)
        } catch (error) {
          if (isUnsupported(error)) return noted(MOVES_BYTES)
          if (isReplaced(error))
            return noted(`the tag of an object of parts is refused: ${MOVES_BYTES}`)
          throw error
        }
      }
      await trial.completeUpload('part-copies/to', id, tags)
      return (await trial.read('part-copies/to')).bytes.equals(Buffer.concat(parts))
        ? found
        : seen('other bytes are copied')
    },
  },
  {
    name: 'checksums',
    what: 'refuses bytes that are not those that the request was signed for',
    usedFor: 'files that are whole although a network damages bytes',
    async attempt(trial) {
      const command = new trial.sdk.PutObjectCommand({
        ...trial.at('checksums'),
        Body: Buffer.alloc(100, 'a'),
      })
      command.middlewareStack.add(
        (next) => (args) => next(withBody(args, Buffer.alloc(100, 'b'))),
        { step: 'deserialize', priority: 'low' },
      )
      const put = trial.send((client, sending) => client.send(command, sending))
      return refused(put, [400, 403], 'damaged bytes are stored')
    },
  },
  {
    name: 'closed',
    what: 'shows nothing without credentials',
    usedFor: 'files that not everyone may read',
    async attempt(trial) {
      await trial.put('closed', randomBytes(100))
      const url = await trial.presign('closed', new Date(), 60)
      const { status } = await trial.fetch(url.replace(/\?.*/, ''))
      return isRefusal(status)
        ? undefined
        : seen(`a read without a signature is answered with status ${status}`)
    },
  },
  {
    name: 'presigned',
    what: 'gives the bytes to whoever has a presigned URL, ranges of them too',
    usedFor: 'tickets and access URLs that link to the bucket (CASEMILL_PRESIGN)',
    async attempt(trial) {
      const bytes = randomBytes(100)
      await trial.put('presigned', bytes)
      const url = await trial.presign('presigned', new Date(), 60)
      const whole = await trial.fetch(url)
      if (whole.status !== 200 || !whole.bytes.equals(bytes)) {
        return seen(`it is answered with status ${whole.status}`)
      }
      const part = await trial.fetch(url, { range: 'bytes=10-19' })
      return part.status === 206 && part.bytes.equals(bytes.subarray(10, 20))
        ? undefined
        : seen(`a range of it is answered with status ${part.status}`)
    },
  },
  {
    name: 'presigned-end',
    what: 'refuses a presigned URL that has expired, or whose path was changed',
    usedFor: 'closed files whose links must not outlive their time or open others',
    async attempt(trial) {
      await trial.put('presigned-end', randomBytes(100))
      await trial.put('presigned-enc', randomBytes(100))
      const hourAgo = new Date(Date.now() - 3_600_000)
      const old = await trial.fetch(await trial.presign('presigned-end', hourAgo, 60))
      if (!isRefusal(old.status)) {
        return seen(`one that expired an hour ago is answered with status ${old.status}`)
      }
      const url = await trial.presign('presigned-end', new Date(), 60)
      const other = await trial.fetch(url.replace('presigned-end', 'presigned-enc'))
      return isRefusal(other.status)
        ? undefined
        : seen(`one for another object is answered with status ${other.status}`)
    },
  },
  {
    name: 'clock',
    what: `has a clock that differs from that of this machine by at most ${MAX_CLOCK_SECONDS} s`,
    usedFor: 'signatures, and the time for which presigned URLs are valid',
    async attempt(trial) {
      await trial.put('clock', randomBytes(10))
      const { headers } = await trial.fetch(await trial.presign('clock', new Date(), 60))
      const date = headers.get('date')
      const seconds = Math.abs(Date.now() - Date.parse(date ?? '')) / 1000
      if (Number.isNaN(seconds)) return seen('its answers have no Date')
      return seconds <= MAX_CLOCK_SECONDS
        ? undefined
        : seen(`it differs by ${Math.round(seconds)} s`)
    },
  },
]

const MOVES_BYTES = 'casemill reads the bytes and sends them again, which is slower'

/** Some stores answer 400 where Amazon's answers 403. */
const isRefusal = (status: number) => status >= 400 && status < 500
const seen = (problem: string): Finding => ({ problem })
const noted = (problem: string): Finding => ({ problem, isNote: true })

const LOOKS_AGAIN =
  'an object is copied although it has another tag; casemill looks at its tag again afterwards'

/** Returns a note if a copy by another entity tag than that of the object is made. */
async function checkedCopy(copy: Promise<unknown>): Promise<Finding | undefined> {
  return (await refused(copy, [412], LOOKS_AGAIN)) && noted(LOOKS_AGAIN)
}

/** Returns a finding unless the request is refused with one of these statuses. */
async function refused(
  request: Promise<unknown>,
  statuses: readonly number[],
  problem: string,
): Promise<Finding | undefined> {
  try {
    await request
  } catch (error) {
    if (statuses.includes(statusOf(error) ?? 0)) return undefined
    throw error
  }
  return seen(problem)
}

/** Replaces the body of a request that is signed already. */
function withBody<Args extends { readonly request?: unknown }>(args: Args, body: Buffer): Args {
  const { request } = args
  if (typeof request === 'object' && request !== null) Object.assign(request, { body })
  return args
}
