import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import { readCount } from '../../shared/input/read-count.ts'
import { readDirection } from '../../shared/input/read-page.ts'
import { MAX_HISTORY_CHARACTERS } from '../history-size.ts'
import type {
  Changelog,
  ChangelogEntry,
  ChangelogRequest,
  ChangelogResults,
  HistoryEvent,
} from './answers.ts'
import { LAST_MILLISECOND, readDays } from './days.ts'
import type { RecordContent } from './definition.ts'
import { describeFormer } from './records.ts'
import type { PublishingSnapshot } from './repository.ts'
import {
  type ChangelogSpan,
  type ChangeType,
  LATEST,
  type StoredChange,
  type StoredChangelog,
} from './stored.ts'
import type { PublishingSources, View } from './versions.ts'

const COUNT = { byDefault: 10, least: 1, most: 10 }
const OFFSET = { byDefault: 0, least: 0, most: 1e9 }

/**
 * Returns the version whose changelog a view shows, and the time up to which. A snapshot shares the history of
 * production up to its creation.
 */
function sourceOf({ version: { version, type, madeAt } }: View) {
  if (type === 'BETA') return { version: LATEST, upTo: madeAt }
  return { version, upTo: Number.MAX_SAFE_INTEGER }
}

/**
 * Returns a page of a version's changelog (registry.md 2.2).
 * @throws EngineError `bad_input`, naming the parameter; `too_many` if the contents are too large
 */
export async function changelogPage<Content extends RecordContent>(
  { repository, turns }: Pick<PublishingSources<Content>, 'repository' | 'turns'>,
  view: View,
  request: ChangelogRequest,
): Promise<ChangelogResults<Content>> {
  const count = readCount(request.count, 'count', COUNT)
  const offset = readCount(request.offset, 'offset', OFFSET)
  const order = readDirection(request.order)
  const days = readDays(request, { from: 'from', to: 'to' })
  const source = sourceOf(view)
  const span: ChangelogSpan = {
    ...source,
    id: request.id,
    onlyPublic: !view.asEditor,
    from: new Date(days.fromMilliseconds ?? 0).toISOString(),
    to: new Date(days.toMilliseconds ?? LAST_MILLISECOND).toISOString(),
  }
  return repository.snapshot(async ({ changelogs: log }) => {
    const changelogs: Changelog<Content>[] = []
    let characters = 0
    for (const entry of await log.page(span, { order, limit: count, offset })) {
      const changes: StoredChange[] = []
      for await (const change of log.changes(span, entry.number)) {
        characters += charactersOf(change)
        if (characters > MAX_HISTORY_CHARACTERS) refusePage(changelogs.length)
        changes.push(change)
      }
      const described = { ...entry, version: source.version }
      changelogs.push(await turns.run(describeChangelog<Content>(view, described, changes)))
    }
    return { total: await log.count(span), count, offset, changelogs }
  })
}

function refusePage(fitting: number): never {
  const [at, request] =
    fitting > 0
      ? ['count', `ask for a "count" of up to ${fitting}`]
      : ['id', 'name a record by "id" to see what was done to it']
  throw new EngineError('too_many', `the page is too large; ${request}`, { at })
}

function charactersOf({ old, new: after }: StoredChange): number {
  return (old?.document.length ?? 0) + (after?.document.length ?? 0)
}

function* describeChangelog<Content extends RecordContent>(
  view: View,
  { user, date, version, description }: StoredChangelog & { readonly version: string },
  changes: readonly StoredChange[],
): Generator<undefined, Changelog<Content>> {
  const of = (type: ChangeType) => changes.filter((change) => change.type === type)
  const adds = of('ADD').map(({ id, name }) => ({ id, name }))
  const mods: ChangelogEntry<Content>[] = []
  for (const change of of('MOD')) {
    mods.push(describeChange<Content>(view, change))
    yield
  }
  const deletes = of('DEL').map(({ id, name }) => ({ id, name }))
  return {
    user,
    date,
    version,
    ...(description !== null && { description }),
    ...(adds.length > 0 && { adds }),
    ...(mods.length > 0 && { mods }),
    ...(deletes.length > 0 && { deletes }),
  }
}

function describeChange<Content extends RecordContent>(
  view: View,
  { id, name, old, new: after }: StoredChange,
): ChangelogEntry<Content> {
  return {
    id,
    name,
    ...(old && { old: describeFormer<Content>(view, id, old) }),
    ...(after && { new: describeFormer<Content>(view, id, after) }),
  }
}

/** Returns the history of one record of a version, newest first. If it is long, the oldest entries are left out. */
export async function historyOf<Content extends RecordContent>(
  { changelogs }: PublishingSnapshot,
  view: View,
  { id, turns }: { readonly id: string; readonly turns: LoopTurns },
): Promise<HistoryEvent<Content>[]> {
  const { version, upTo } = sourceOf(view)
  const events: HistoryEvent<Content>[] = []
  let characters = 0
  for await (const { user, date, ...change } of changelogs.history(version, id, upTo)) {
    characters += charactersOf(change)
    if (characters > MAX_HISTORY_CHARACTERS) break
    await turns.pause()
    const { old, new: after } = describeChange<Content>(view, change)
    events.push({ user, date, ...(old && { old }), ...(after && { new: after }) })
  }
  return events
}
