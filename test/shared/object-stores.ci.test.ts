import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { BUCKET_NEEDS } from '../../engine/shared/blobs/bucket-needs.ts'
import { checkBucket } from '../../engine/shared/blobs/check-bucket.ts'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { lookAt, STORE_PROMISES } from './support/store-promises.ts'

// The tables of docs/reference/object-stores.md, tried against the stores that they name.

const PAGE = join(import.meta.dirname, '../../docs/reference/object-stores.md')
const WORDS = { holds: 'yes', note: 'does without', fails: 'no' } as const

const {
  TEST_S3_ENDPOINT: named,
  TEST_S3_KEY: accessKeyId = '',
  TEST_S3_SECRET: secretAccessKey = '',
} = process.env

/**
 * The columns of the stores in both tables, counted from the end. For Swift, test/submission/support/swift-s3.sh says
 * what to set; the bucket is `casemill-test`.
 */
const STORES = [
  { column: -3, store: 'swift', isThere: named !== undefined },
  { column: -2, store: 'ceph', isThere: inject('available').ceph },
  { column: -1, store: 'bare-s3rver', isThere: true },
] as const

type Store = (typeof STORES)[number]['store']

async function start(store: Store): Promise<Pick<S3Server, 'options' | 'stop'>> {
  if (store !== 'swift') return startS3({ store })
  const credentials = { accessKeyId, secretAccessKey }
  return {
    options: { endpoint: named, bucket: 'casemill-test', credentials },
    stop: async () => {},
  }
}

/** Returns the cells of the table whose header begins so, without header and ruler. */
async function table(header: string): Promise<readonly (readonly string[])[]> {
  const lines = (await readFile(PAGE, 'utf8')).split('\n')
  const from = lines.findIndex((line) => line.startsWith(`| ${header} |`)) + 2
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'))
  return lines.slice(from, from + length).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

test('the page has all needs and promises, in their order', async () => {
  const needs = BUCKET_NEEDS.map(({ name, what, usedFor }) => [`\`${name}\``, what, usedFor])
  expect((await table('Need')).map((cells) => cells.slice(0, 3))).toEqual(needs)
  const promises = STORE_PROMISES.map(({ what }) => what)
  expect((await table('Promise of S3')).map(([what]) => what)).toEqual(promises)
})

describe.each(STORES)('of $store', ({ column, store, isThere }) => {
  test.skipIf(!isThere)('the page says what casemill finds', async () => {
    await using stack = new AsyncDisposableStack()
    const s3 = await start(store)
    stack.defer(() => s3.stop())
    const found: string[] = []
    const tried = checkBucket(s3.options, new AbortController().signal)
    try {
      for await (const { result } of tried) found.push(WORDS[result])
      expect(store).not.toBe('bare-s3rver')
    } catch (error) {
      // s3rver cannot end an upload, so it is told what is left.
      expect([store, String(error)]).toEqual([
        'bare-s3rver',
        expect.stringContaining('could be removed; remove it there'),
      ])
    }
    expect(found).toEqual((await table('Need')).map((cells) => cells.at(column)))
  })

  test.skipIf(!isThere)('the page says what it does about other promises', async () => {
    await using stack = new AsyncDisposableStack()
    const s3 = await start(store)
    stack.defer(() => s3.stop())
    const promises = await table('Promise of S3')
    expect(await lookAt(s3)).toEqual(promises.map((cells) => cells.at(column)))
  })
})
