import type { GraphQLResolveInfo } from 'graphql'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Rows } from '../../shared/database/database.ts'
import { Batches } from './batches.ts'
import type { Budget } from './budget.ts'
import { type Arguments, type Asking, anyCondition, orderOf, typeCondition } from './conditions.ts'
import { GivenRows } from './given-rows.ts'
import type { GraphType } from './model.ts'
import { type NodeRow, nodeRow, type StoredRow } from './node-row.ts'
import { countOn, limitTo, pageOf } from './page.ts'
import { groupedBy, relatedStatement, totalsOf, totalsStatement } from './related-rows.ts'
import type { Relation } from './relations.ts'
import { requestedFields } from './requested-fields.ts'
import { columnOf, selected, sourceOf } from './sources.ts'
import { type Sql, sql } from './sql.ts'
import { inTurns } from './turns.ts'

/** Type of the rows of a list, or several types. */
export type Wanted = GraphType | readonly GraphType[]

/** A list of rows that are related to a given row. */
export interface Related {
  readonly wanted: Wanted
  readonly by: Relation
  /** Whether to leave out superseded versions, as lists of children do. */
  readonly isCurrent: boolean
}

interface ReadingOptions extends Asking {
  readonly rows: Rows
  readonly budget: Budget
  readonly turns: LoopTurns
}

/** Reads the data for one query from one database snapshot. */
export class Reading {
  readonly asking: Asking
  readonly given = new GivenRows()
  readonly #budget: Budget
  readonly #batches = new Batches()
  readonly #rows: Rows
  readonly #turns: LoopTurns
  /** Time limit in milliseconds that the last statement set. */
  #limited = Number.POSITIVE_INFINITY

  constructor({ rows, budget, turns, ...asking }: ReadingOptions) {
    this.#rows = rows
    this.#turns = turns
    this.#budget = budget
    this.asking = asking
  }

  /** Yields the rows of a statement, and charges each to the budget. */
  async *rowsOf(statement: Sql, values: number): AsyncIterable<StoredRow> {
    this.#budget.check()
    // Yields to the event loop, because a query may have hundreds of lists.
    await this.#turns.pause()
    await this.#limitTime()
    for await (const row of this.#rows.each<StoredRow>(statement.text, statement.values)) {
      this.#budget.take(values, weightOf(row))
      this.given.add(row)
      yield row
    }
    // Many statements may return in one turn of the event loop, and the fields of all their rows would be
    // resolved at once.
    await this.#turns.pause()
  }

  /** Limits statements to the query's remaining time. Repeated when that has halved. */
  async #limitTime(): Promise<void> {
    const left = Math.max(1, this.#budget.millisecondsLeft)
    if (left > this.#limited / 2) return
    this.#limited = left
    const { text, values } = this.asking.dialect.limitTime(Math.ceil(left))
    await this.#rows.all(text, values)
  }

  /** Returns the sum of the column `total` of a statement, which has a row for each project. */
  async totalOf(statement: Sql): Promise<number> {
    let sum = 0
    for await (const { total } of this.rowsOf(statement, 1)) sum += Number(total)
    return sum
  }

  /**
   * Returns a value for a row. One statement loads the values for all rows of the same level.
   * @param load returns values keyed by row id
   */
  async ofMany<Value>(
    id: string,
    { fieldNodes: [node], parentType }: GraphQLResolveInfo,
    load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  ): Promise<Value | undefined> {
    // Rows at the same place in a query have the same arguments.
    return this.#batches.load(
      { field: node ?? parentType, of: parentType.name },
      id,
      async (ids) => {
        const found = await load(ids)
        // Otherwise GraphQL would resolve the fields of all these rows in one turn of the event loop.
        await this.#turns.pause()
        return found
      },
    )
  }

  /** Returns the elements of a list. A long list resolves in several turns of the event loop. */
  inTurns<Row>(rows: readonly Row[]): readonly (Row | Promise<Row>)[] {
    return inTurns(rows, this.#turns)
  }

  /** Returns the rows of a list at the root of a query. */
  async list(wanted: Wanted, given: Arguments, info: GraphQLResolveInfo) {
    const { columns, values } = columnsFor(wanted, info)
    const { source, condition } = this.#rowsFor(wanted, given, true)
    const statement = sql`SELECT ${columns} FROM ${source} AS e WHERE ${condition}
      ORDER BY ${orderOf(typeIn(wanted), given, this.asking)} ${limitTo(pageOf(given))}`
    const found: NodeRow[] = []
    for await (const row of this.rowsOf(statement, values)) found.push(nodeRow(row))
    return this.inTurns(found)
  }

  /** Returns the length of a list at the root of a query. */
  async count(wanted: Wanted, given: Arguments): Promise<number> {
    const { source, condition } = this.#rowsFor(wanted, given, true)
    const page = pageOf(given)
    const statement = sql`SELECT e.project_id, count(*) AS total FROM ${source} AS e
      WHERE ${condition} GROUP BY e.project_id`
    return countOn(page, await this.totalOf(statement))
  }

  /** Returns the rows related to a row. */
  async related(
    { id }: NodeRow,
    { wanted, by, isCurrent }: Related,
    given: Arguments,
    info: GraphQLResolveInfo,
  ) {
    const found = await this.ofMany(id, info, (ids) => {
      const { columns, values } = columnsFor(wanted, info)
      const rows = {
        by,
        alias: 'e' as const,
        columns,
        page: pageOf(given),
        ...this.#rowsFor(wanted, given, isCurrent),
        order: orderOf(typeIn(wanted), given, this.asking),
      }
      const statement = relatedStatement(rows, ids, this.asking.dialect)
      return groupedBy('holder', this.rowsOf(statement, values), nodeRow)
    })
    return this.inTurns(found ?? [])
  }

  /** Returns the number of rows related to a row. */
  async relatedCount(
    { id }: NodeRow,
    { wanted, by, isCurrent }: Related,
    given: Arguments,
    info: GraphQLResolveInfo,
  ): Promise<number> {
    const page = pageOf(given)
    const total = await this.ofMany(id, info, (ids) => {
      const rows = { by, alias: 'e' as const, ...this.#rowsFor(wanted, given, isCurrent) }
      return totalsOf(this.rowsOf(totalsStatement(rows, ids, this.asking.dialect), 1))
    })
    return countOn(page, total ?? 0)
  }

  #rowsFor(wanted: Wanted, given: Arguments, isCurrent: boolean) {
    const type = typeIn(wanted)
    return {
      source: sourceOf(type?.origin ?? 'any', this.asking),
      condition: isType(wanted)
        ? typeCondition(wanted, given, this.asking, isCurrent)
        : anyCondition(given, wanted, this.asking, isCurrent),
    }
  }
}

const isType = (wanted: Wanted): wanted is GraphType => 'name' in wanted
const typeIn = (wanted: Wanted) => (isType(wanted) ? wanted : undefined)

function columnsFor(wanted: Wanted, info: GraphQLResolveInfo) {
  const names = requestedFields(info)
  const types = isType(wanted) ? [wanted] : wanted
  const wantsProperties = types.some((type) =>
    [...names].some((name) => type.properties.has(name) && columnOf(type, name) === undefined),
  )
  const origin = typeIn(wanted)?.origin ?? 'any'
  return { columns: selected(origin, wantsProperties), values: names.size }
}

/** Returns the approximate size of a row in characters. */
function weightOf(row: StoredRow): number {
  let weight = 0
  for (const name in row) {
    const value = row[name]
    weight += typeof value === 'string' ? value.length : 8
  }
  return weight
}
