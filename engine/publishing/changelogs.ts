import { EngineError } from '../errors.ts'
import { readCount } from '../read-count.ts'
import type {
  Changelog,
  ChangelogEntry,
  ChangelogResults,
  ChangelogWish,
  HistoryEvent,
} from './answers.ts'
import { LAST_MILLISECOND, readDays } from './days.ts'
import type { RecordContent } from './definition.ts'
import { describeFormer } from './records.ts'
import type { PublishingRepository } from './repository.ts'
import {
  type ChangelogSpan,
  type ChangeType,
  LATEST,
  type StoredChange,
  type StoredChangelog,
} from './stored.ts'
import type { View } from './versions.ts'

const COUNT = { byDefault: 10, least: 1, most: 10 }
const OFFSET = { byDefault: 0, least: 0, most: 1e9 }

/** A snapshot has what was done to production before it. */
function sourceOf({ version: { version, type, madeAt } }: View) {
  if (type === 'BETA') return { version: LATEST, upTo: madeAt }
  return { version, upTo: Number.MAX_SAFE_INTEGER }
}

/**
 * What was done to a version, a page of it (registry.md 2.2).
 * @throws EngineError bad_input naming the parameter
 */
export function changelogPage<Content extends RecordContent>(
  repository: PublishingRepository,
  view: View,
  wish: ChangelogWish,
): ChangelogResults<Content> {
  const count = readCount(wish.count, 'count', COUNT)
  const offset = readCount(wish.offset, 'offset', OFFSET)
  const { id, order = 'DESC' } = wish
  if (order !== 'ASC' && order !== 'DESC') {
    throw new EngineError('bad_input', '"order" is none of ASC, DESC', { at: 'order' })
  }
  const days = readDays(wish, { from: 'from', to: 'to' })
  const source = sourceOf(view)
  const span: ChangelogSpan = {
    ...{ ...source, id, onlyPublic: !view.asEditor },
    from: new Date(days.fromMilliseconds ?? 0).toISOString(),
    to: new Date(days.toMilliseconds ?? LAST_MILLISECOND).toISOString(),
  }
  return repository.snapshot(() => ({
    total: repository.countChangelogs(span),
    ...{ count, offset },
    changelogs: repository.changelogs(span, { order, limit: count, offset }).map((entry) => {
      const read = view.asEditor ? repository.changes : repository.publicChanges
      const changes = read.call(repository, source.version, entry.number)
      const wanted = id === undefined ? changes : changes.filter((change) => change.id === id)
      return describeChangelog<Content>(view, { ...entry, version: source.version }, wanted)
    }),
  }))
}

function describeChangelog<Content extends RecordContent>(
  view: View,
  { user, date, version, description }: StoredChangelog & { readonly version: string },
  changes: readonly StoredChange[],
): Changelog<Content> {
  const of = (type: ChangeType) => changes.filter((change) => change.type === type)
  const adds = of('ADD').map(({ id, name }) => ({ id, name }))
  const mods = of('MOD').map((change) => describeChange<Content>(view, change))
  const deletes = of('DEL').map(({ id, name }) => ({ id, name }))
  return {
    ...{ user, date, version },
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
    ...{ id, name },
    ...(old && { old: describeFormer<Content>(view, id, old) }),
    ...(after && { new: describeFormer<Content>(view, id, after) }),
  }
}

/** What was done to one record of a version, newest first. */
export function historyOf<Content extends RecordContent>(
  repository: PublishingRepository,
  view: View,
  id: string,
): HistoryEvent<Content>[] {
  const { version, upTo } = sourceOf(view)
  return repository.history(version, id, upTo).map(({ user, date, ...change }) => {
    const { old, new: after } = describeChange<Content>(view, change)
    return { ...{ user, date }, ...(old && { old }), ...(after && { new: after }) }
  })
}
