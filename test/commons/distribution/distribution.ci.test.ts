import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RELEASE_TABLES } from '../../../engine/commons/distribution/tables.ts'
import { ObjectClient } from '../../../engine/shared/blobs/object-client.ts'
import { type S3Server, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import type { Database } from '../../../engine/shared/database/database.ts'
import { eventually } from '../../eventually.ts'
import { canRun, DIALECTS, prepareBed } from '../../shared/database/support/dialects.ts'
import { TestNode } from './support/nodes.ts'

describe.each(DIALECTS)('releases that nodes have in common, in %s', (dialect) => {
  describe.skipIf(!canRun(dialect))('', () => {
    const bed = prepareBed(dialect)
    let s3: S3Server
    let bucket: ObjectClient
    let database: Database
    const nodes: TestNode[] = []
    const clock = { now: Date.now() }

    beforeAll(async () => {
      s3 = await startS3()
      bucket = new ObjectClient(s3.options)
    })
    afterAll(async () => {
      await bucket.close()
      await s3.stop()
    })
    beforeEach(async () => {
      database = await bed.open(await bed.place(), [RELEASE_TABLES])
      clock.now = Date.now()
    })
    afterEach(async () => {
      s3.intercept = () => false
      for (const node of nodes.splice(0)) await node.close()
      for (const name of await objects()) await bucket.remove(name)
    })

    const open = async () => {
      const node = await TestNode.open(database, s3.options, () => new Date(clock.now))
      nodes.push(node)
      return node
    }
    const objects = async () => {
      const names: string[] = []
      for await (const name of bucket.keys('')) names.push(name)
      return names
    }
    /** Publishes two releases, and opens a node without any. */
    const openTwo = async () => {
      const maker = await open()
      await maker.build('one', ['P1', 'P2'])
      await maker.distribution.publish('one')
      await maker.distribution.switchTo('one')
      await maker.serve()
      await eventually(() => expect(maker.current.release?.id).toBe('one'))
      return { maker, other: await open() }
    }

    test('a node with an empty folder gets what the others serve, byte for byte', async () => {
      const { maker, other } = await openTwo()
      await other.current.start()
      await other.node.start()
      expect(other.node.behind).toContain('"one" is being fetched')
      await eventually(() => expect(other.current.release?.id).toBe('one'))
      expect(other.node.behind).toBeUndefined()
      expect(await other.files('one')).toEqual(await maker.files('one'))
      expect(await other.releases.current()).toBe('one')
      await eventually(async () => {
        const [listed] = await maker.distribution.list()
        expect(listed).toMatchObject({ id: 'one', isCurrent: true })
        expect(listed?.nodes).toHaveLength(2)
      })
    })

    test('a fetch that was broken off goes on with the files that are missing', async () => {
      const { maker, other } = await openTwo()
      const files = (await maker.files('one')).size
      let served = 0
      s3.intercept = (request, response) => {
        const isLate = request.headers.range !== undefined && ++served > 3
        if (isLate) response.destroy()
        return isLate
      }
      const fetching = other.distribution.bringCurrent()
      await expect(fetching).rejects.toMatchObject({ code: 'unavailable' })
      s3.intercept = () => false
      expect(await other.releases.names()).toEqual([])
      s3.requests.length = 0
      expect(await other.distribution.bringCurrent()).toBe('one')
      const fetched = s3.requests.filter(({ range }) => range !== undefined)
      // Of the remaining files, one is the list of files; one of the three requests before was for it as well.
      expect(fetched).toHaveLength(1 + files - 2)
      expect(await other.files('one')).toEqual(await maker.files('one'))
      expect(await other.releases.current()).toBe('one')
    })

    test('equal files are sent and fetched once', async () => {
      const { maker, other } = await openTwo()
      await other.serve()
      await eventually(() => expect(other.current.release?.id).toBe('one'))
      const again = await maker.distribution.publish('one')
      expect(again).toMatchObject({ sentFiles: 0, sentBytes: 0 })
      await maker.build('two', ['P1', 'P2'])
      const before = other.node.load().bytesPulled
      const next = await maker.distribution.publish('two')
      // Only the manifest contains the id.
      expect(next.sentFiles).toBe(1)
      expect(next.files).toBe(4)
      await eventually(async () =>
        expect((await other.releases.names()).includes('two')).toBe(true),
      )
      expect(other.node.load().bytesPulled - before).toBe(next.sentBytes)
      expect(await other.files('two')).toEqual(await maker.files('two'))
    })

    test('what is offered is ready everywhere before it is switched to, and one goes back at once', async () => {
      const { maker, other } = await openTwo()
      await other.serve()
      await maker.build('two', ['P3'])
      await maker.distribution.publish('two')
      await eventually(async () => {
        const two = (await maker.distribution.list()).find(({ id }) => id === 'two')
        expect(two?.nodes).toHaveLength(2)
      })
      expect([maker, other].map(({ current }) => current.release?.id)).toEqual(['one', 'one'])
      expect(await maker.distribution.switchTo('two')).toMatchObject({ nodes: 2, late: [] })
      const serving = (id: string) =>
        eventually(() => {
          expect([maker, other].map(({ current }) => current.release?.id)).toEqual([id, id])
        })
      await serving('two')
      const back = await maker.distribution.switchTo('one', { waitSeconds: 0 })
      expect(back).toMatchObject({ beforeId: 'two', nodes: 2, late: [] })
      await serving('one')
      expect(await other.releases.current()).toBe('one')
    })

    test('of what came by pulling the current one and the one before stay', async () => {
      const { maker, other } = await openTwo()
      await other.serve()
      for (const id of ['two', 'three']) {
        await maker.build(id, [id])
        await maker.distribution.publish(id)
        await maker.distribution.switchTo(id)
        await eventually(() => expect(other.current.release?.id).toBe(id))
      }
      await eventually(async () => expect(await other.releases.names()).toEqual(['three', 'two']))
      expect(await maker.releases.names()).toEqual(['one', 'three', 'two'])
    })

    test('a node that is not ready is named, and none that is ready changes nothing', async () => {
      const { maker, other } = await openTwo()
      await other.serve()
      await eventually(() => expect(other.current.release?.id).toBe('one'))
      await maker.build('two', ['P3'])
      const holding = new Set<() => void>()
      const isOther = (agent: unknown) => agent !== undefined
      // Objects are never sent back to the maker, which has their bytes.
      s3.intercept = (request, response) => {
        const isHeld = request.method === 'GET' && isOther(request.headers.range)
        if (isHeld) holding.add(() => response.destroy())
        return isHeld
      }
      await maker.distribution.publish('two')
      const { late, nodes: count } = await maker.distribution.switchTo('two', { waitSeconds: 3 })
      expect([count, late.length]).toEqual([2, 1])
      await eventually(() => expect(maker.current.release?.id).toBe('two'))
      await eventually(() => expect(other.node.behind).toContain('"two"'))
      expect(other.current.release?.id).toBe('one')
      s3.intercept = () => false
      for (const end of holding) end()
      await eventually(() => expect(other.current.release?.id).toBe('two'))
    })

    test('none is switched to that no node has, nor one that nobody offered', async () => {
      const { maker } = await openTwo()
      await expect(maker.distribution.switchTo('two')).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('there are "one"'),
      })
      await database.write(async (transaction) => {
        await transaction.run(
          `INSERT INTO offered_releases VALUES ('two', 2, ?, 7, 0, 'R', '2026', 'offered')`,
          ['0'.repeat(64)],
        )
      })
      await expect(maker.distribution.switchTo('two', { waitSeconds: 1 })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('none of 1 nodes is ready'),
      })
      expect(await maker.distribution.pointer()).toMatchObject({ id: 'one', nextId: undefined })
      expect(await maker.distribution.switchTo('one')).toMatchObject({ late: [] })
    })

    test('what was made of one that is not current any more is not switched to', async () => {
      const { maker } = await openTwo()
      await maker.build('two', ['P3'])
      await maker.distribution.publish('two')
      await expect(
        maker.distribution.switchTo('two', { from: 'zero', waitSeconds: 0 }),
      ).rejects.toMatchObject({ code: 'conflict' })
    })

    test.each(['a file', 'the list of files'])(
      '%s that was changed in the bucket opens nothing',
      async (what) => {
        const { maker, other } = await openTwo()
        await maker.build('two', ['P3'])
        const isList = what !== 'a file'
        await maker.distribution.publish('two')
        const offered = await database.ask<{ name: string }>(
          `SELECT manifest_sha256 || '-' || manifest_bytes AS name FROM offered_releases WHERE id = ?`,
          [isList ? 'two' : 'one'],
        )
        const manifest = (await maker.files('two')).get('manifest.json') ?? Buffer.alloc(0)
        const name = isList
          ? `releases/${offered[0]?.name}`
          : (await objects()).find((key) => key.endsWith(`-${manifest.length}`))
        const length = Number(name?.split('-').at(-1))
        await bucket.put(name ?? '', Buffer.alloc(length, 'x'))
        await maker.distribution.switchTo('two')
        await other.serve()
        await eventually(() => expect(other.node.load().failedPulls).toBeGreaterThan(1))
        expect(other.current.release?.id).not.toBe('two')
        expect(await other.releases.names()).not.toContain('two')
        expect(other.node.behind).toBe('release "two" cannot be fetched; the log has the reason')
        const problem = expect.stringContaining('not what was offered')
        const complaints = other.events.filter(({ message }) => message.includes('release two'))
        expect(complaints).toMatchObject([{ level: 'error', cause: { message: problem } }])
        await eventually(async () => {
          const seen = await maker.distribution.nodes()
          expect(seen).toContainEqual(expect.objectContaining({ problem }))
        })
        await maker.distribution.publish('two', { isAnew: true })
        await eventually(() => expect(other.current.release?.id).toBe('two'))
      },
    )

    test('a folder that holds something else by the name of a release is not served as that', async () => {
      const { maker, other } = await openTwo()
      await other.build('one', ['P9'])
      await other.serve()
      await eventually(() => expect(other.node.load().failedPulls).toBeGreaterThan(0))
      expect(other.current.release).toBeUndefined()
      const message = expect.stringContaining('is not that of the release that is offered')
      expect(other.events).toMatchObject([{ cause: { message } }])
      await expect(other.distribution.publish('one')).rejects.toMatchObject({
        code: 'already_exists',
      })
      expect(await maker.distribution.list()).toHaveLength(1)
    })

    test('a damaged file is not published, and nothing can be seen of it', async () => {
      const maker = await open()
      await maker.build('one', ['P1'])
      const path = join(maker.releases.folder('one'), 'documents/projects.text')
      await writeFile(path, 'x')
      await expect(maker.distribution.publish('one')).rejects.toMatchObject({
        code: 'corrupt_source',
        at: 'documents/projects.text',
      })
      expect([await maker.distribution.list(), await objects()]).toEqual([[], []])
    })

    test('what is withdrawn goes from bucket and nodes, and what others have stays', async () => {
      const { maker, other } = await openTwo()
      await other.serve()
      const before = await objects()
      await maker.build('two', ['P1', 'P2'])
      const { sentFiles } = await maker.distribution.publish('two')
      const withTwo = await objects()
      await eventually(async () => expect(await other.releases.names()).toEqual(['one', 'two']))
      const withdrawn = await maker.distribution.withdraw('two')
      // The count covers all objects that were sent, except the list of files.
      expect(withdrawn).toMatchObject({ id: 'two', objects: sentFiles })
      expect(withdrawn.shared).toBeGreaterThan(0)
      expect(withdrawn.objects + withdrawn.shared).toBeLessThan(withTwo.length)
      expect(await objects()).toEqual(before)
      await eventually(async () => expect(await other.releases.names()).toEqual(['one']))
      expect(await maker.distribution.list()).toMatchObject([{ id: 'one', nodes: { length: 2 } }])
      await expect(maker.distribution.switchTo('two')).rejects.toMatchObject({ code: 'not_found' })
      await expect(maker.distribution.withdraw('two')).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('there are "one"'),
      })
      // A release id never stands for other files, because a node may still have the old ones.
      await other.build('two', ['P4'])
      await expect(other.distribution.publish('two')).rejects.toMatchObject({
        code: 'already_exists',
      })
      await maker.distribution.publish('two')
      expect(await objects()).toEqual(withTwo)
    })

    test('the current one is not withdrawn, nor one that a node serves', async () => {
      const { maker } = await openTwo()
      const before = await objects()
      await expect(maker.distribution.withdraw('one')).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('"one" is the current one; switch to another one'),
      })
      await maker.build('two', ['P3'])
      await maker.distribution.publish('two')
      const serves = (id: string) =>
        database.write((transaction) =>
          transaction.run(
            `INSERT INTO release_nodes (node, serves, ready, seen_at)
             SELECT 'late', ?, '[]', max(seen_at) FROM release_nodes WHERE true
             ON CONFLICT (node) DO UPDATE SET serves = excluded.serves`,
            [id],
          ),
        )
      await serves('two')
      await expect(maker.distribution.withdraw('two')).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('"two" is still served by late; wait'),
      })
      expect(await maker.distribution.list()).toMatchObject([{ id: 'one' }, { id: 'two' }])
      await serves('one')
      await maker.distribution.withdraw('two')
      expect(await objects()).toEqual(before)
    })

    test('the one before is not answered from any more once it was withdrawn', async () => {
      const { maker, other } = await openTwo()
      await other.serve()
      await maker.build('two', ['P1', 'P2', 'P3'])
      await maker.distribution.publish('two')
      await maker.distribution.switchTo('two')
      for (const { current } of [maker, other]) {
        await eventually(() => expect(current.release?.id).toBe('two'))
        ;(await current.leaseNamed('one')).end()
      }
      await maker.distribution.withdraw('one')
      for (const { current } of [maker, other]) {
        const asked = async () => {
          ;(await current.leaseNamed('one')).end()
        }
        await eventually(() => expect(asked()).rejects.toMatchObject({ code: 'gone' }))
      }
      await eventually(async () => expect(await other.releases.names()).toEqual(['two']))
      const late = await open()
      await late.serve()
      await eventually(() => expect(late.current.release?.id).toBe('two'))
      expect(await late.files('two')).toEqual(await maker.files('two'))
    })

    test('a switch that waits for a release ends when that is withdrawn', async () => {
      const { maker } = await openTwo()
      await maker.build('two', ['P3'])
      await maker.distribution.publish('two')
      await database.write((transaction) =>
        transaction.run(
          `INSERT INTO release_nodes (node, serves, ready, seen_at)
           SELECT 'late', 'one', '[]', max(seen_at) FROM release_nodes`,
        ),
      )
      const switching = maker.distribution.switchTo('two', {
        onWait: () => void maker.distribution.withdraw('two').catch(() => {}),
      })
      await expect(switching).rejects.toMatchObject({ code: 'not_found' })
      expect(await maker.distribution.pointer()).toMatchObject({ id: 'one', nextId: undefined })
    })

    test('a publication that counts on what is withdrawn meanwhile sends it', async () => {
      const { maker, other } = await openTwo()
      await maker.build('two', ['P3', 'P4'])
      await maker.distribution.publish('two')
      // The release has data that no other one has.
      await maker.build('three', ['P3', 'P4'])
      let withdrawal: Promise<unknown> | undefined
      s3.intercept = ({ method }) => {
        if (method === 'PUT') withdrawal ??= maker.distribution.withdraw('two')
        return false
      }
      await maker.distribution.publish('three')
      expect(await withdrawal).toMatchObject({ id: 'two' })
      await maker.distribution.switchTo('three')
      await other.serve()
      await eventually(() => expect(other.current.release?.id).toBe('three'))
      expect(await other.files('three')).toEqual(await maker.files('three'))
    })

    test('nothing is removed while it is not known what other releases have', async () => {
      const { maker } = await openTwo()
      await maker.build('two', ['P3'])
      await maker.distribution.publish('two')
      const [offered] = await database.ask<{ name: string }>(
        `SELECT manifest_sha256 || '-' || manifest_bytes AS name FROM offered_releases WHERE id = 'one'`,
      )
      const list = `releases/${offered?.name}`
      // The machine has none of the releases.
      const other = await open()
      await bucket.remove(list)
      const before = await objects()
      await expect(other.distribution.withdraw('two')).rejects.toMatchObject({
        code: 'corrupt_source',
        message: expect.stringContaining('the list of files of "one" cannot be read'),
      })
      expect(await objects()).toEqual(before)
      await maker.distribution.publish('one', { isAnew: true })
      expect(await other.distribution.withdraw('two')).toMatchObject({ id: 'two' })
      expect((await objects()).length).toBeLessThan(before.length)
    })

    test('what a publication has left that was broken off goes after a week, and no sooner', async () => {
      const { maker } = await openTwo()
      await bucket.put('releases/left', Buffer.from('left'))
      const before = await objects()
      expect((await maker.distribution.publish('one')).removed).toBe(0)
      expect(await objects()).toEqual(before)
      clock.now += 8 * 86_400_000
      expect((await maker.distribution.publish('one')).removed).toBe(1)
      expect(await objects()).toEqual(before.filter((name) => name !== 'releases/left'))
    })
  })
})
