import { beforeEach, expect, test } from 'vitest'
import {
  type AddNotification,
  NotificationStore,
} from '../../../../engine/shared/catalogue/notifications.ts'
import type { StateBed } from './state-bed.ts'

const hello: AddNotification = { level: 'INFO', components: ['PORTAL'], message: 'Hello' }

/** Tests of notifications, wherever they are stored. */
export function notificationTests(bed: StateBed): void {
  let now: Date
  let store: NotificationStore
  beforeEach(() => {
    now = new Date('2025-03-01T12:00:00Z')
    store = new NotificationStore(bed.database, () => now)
  })

  test('a notification is listed as it was added, with its start and without an end', async () => {
    const added = await store.add({
      ...hello,
      level: 'warning',
      components: ['api', 'LOGIN', 'API'],
    })
    expect(added).toEqual({
      id: 1,
      level: 'WARNING',
      components: ['API', 'LOGIN'],
      message: 'Hello',
      dismissible: true,
      startDate: '2025-03-01T12:00:00.000Z',
      endDate: null,
    })
    expect(await store.list()).toEqual([added])
    expect(await store.active()).toEqual([added])
  })

  test('a day is shown to its end, a time to its moment', async () => {
    const day = await store.add({ ...hello, until: '2025-03-02' })
    const time = await store.add({
      ...hello,
      until: '2025-03-01T14:00:00+01:00',
      dismissible: false,
    })
    expect([day.endDate, time.endDate]).toEqual([
      '2025-03-03T00:00:00.000Z',
      '2025-03-01T13:00:00.000Z',
    ])
    const shown = async () => (await store.active()).map(({ id }) => id)
    now = new Date('2025-03-01T12:59:59.999Z')
    expect(await shown()).toEqual([1, 2])
    now = new Date('2025-03-01T13:00:00Z')
    expect(await shown()).toEqual([1])
    now = new Date('2025-03-03T00:00:00Z')
    expect(await shown()).toEqual([])
    expect(await store.list()).toEqual([day, time])
  })

  test('a removed notification is gone, and its id is not given again', async () => {
    await store.add(hello)
    await store.add(hello)
    await store.remove(2)
    expect((await store.add(hello)).id).toBe(3)
    expect((await store.list()).map(({ id }) => id)).toEqual([1, 3])
    await expect(store.remove(2)).rejects.toThrow(expect.objectContaining({ code: 'not_found' }))
    await expect(store.remove(Number.NaN)).rejects.toThrow(
      expect.objectContaining({ code: 'not_found' }),
    )
  })

  test.each<[Partial<AddNotification>, string, string]>([
    [{ level: 'FATAL' }, 'level', 'use one of INFO, WARNING, ERROR, DEBUG'],
    [{ components: [] }, 'components', 'needs a component'],
    [{ components: ['PORTAL', 'X'] }, 'components[1]', 'components[1] "X" is unknown'],
    [{ message: '' }, 'message', 'not usable'],
    [{ message: '  ' }, 'message', 'not usable'],
    [{ message: 'two\nlines' }, 'message', 'not usable'],
    [{ until: 'tomorrow' }, 'until', 'is no date'],
    [{ until: '2025-02-30' }, 'until', 'is no date'],
    [{ until: '2025-03-04T25:00Z' }, 'until', 'is no date'],
    [{ until: '2025-03-04T10:00' }, 'until', 'is no date'],
    [{ until: '2025-02-28' }, 'until', 'is over already'],
  ])('%o is refused at %s', async (failure, at, message) => {
    await expect(store.add({ ...hello, ...failure })).rejects.toThrow(
      expect.objectContaining({ code: 'bad_input', at, message: expect.stringContaining(message) }),
    )
    expect(await store.list()).toEqual([])
  })
}
