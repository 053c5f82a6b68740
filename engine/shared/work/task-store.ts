import type { Rows, Transaction } from '../database/database.ts'

/** Input of a task: for example ids, keyed by name. When the task runs, it looks up everything else. */
export type TaskInput = Readonly<Record<string, string>>

export type TaskState = 'waiting' | 'running' | 'failed'

/** A task that a worker has taken. */
export interface HeldTask {
  /** Number of the task in the table. */
  readonly number: number
  /** Random id, new for each attempt. Only the attempt that holds the task may change it. */
  readonly holder: string
  readonly input: TaskInput
  /** Number of attempts, including this one. */
  readonly attempts: number
}

/** A task in the form that operators may see, without its input. */
export interface ListedTask {
  readonly number: number
  readonly kind: string
  readonly state: TaskState
  readonly attempts: number
  readonly enqueuedAt: string
  readonly dueAt: string
  /** Progress from 0 to 1, or null if unknown. */
  readonly progress: number | null
  /** Code of the last failure. */
  readonly error: string | null
}

/** Numbers of tasks of one kind. */
export interface KindLoad {
  readonly kind: string
  readonly waiting: number
  readonly running: number
  readonly failed: number
  /** Time when the oldest waiting or running task was enqueued. */
  readonly oldest: string | null
}

/** A running task, with the number of heartbeats of its worker. If that does not grow, the worker is dead. */
export interface RunningTask {
  readonly number: number
  readonly holder: string
  readonly beats: number
  readonly attempts: number
}

/** A task to enqueue. */
interface NewTask {
  readonly kind: string
  /** Place whose processes can run the task, such as a data folder. Empty if any process can. */
  readonly place: string
  readonly key: string
  /** TaskInput as JSON. */
  readonly input: string
  /** Tasks with lower values run first. */
  readonly priority: number
  readonly now: string
}

// If a failed task is enqueued with another input, it is started again.
const ADD = `
  INSERT INTO work_tasks (kind, place, task_key, input, priority, state, attempts, enqueued_at, due_at, beats)
  VALUES (?, ?, ?, ?, ?, 'waiting', 0, ?, ?, 0)
  ON CONFLICT (kind, place, task_key) DO UPDATE SET
    input = excluded.input, priority = excluded.priority, state = 'waiting', attempts = 0,
    enqueued_at = excluded.enqueued_at, due_at = excluded.due_at, error = NULL
  WHERE work_tasks.state = 'failed' AND work_tasks.input <> excluded.input`

/**
 * Enqueues a task. Returns whether it was added or started again. An existing task with the same kind, place and
 * key is started again if it has failed and had another input. Otherwise it is left as it is.
 */
export async function addTask(transaction: Transaction, task: NewTask): Promise<boolean> {
  const { kind, place, key, input, priority, now } = task
  const { changes } = await transaction.run(ADD, [kind, place, key, input, priority, now, now])
  return changes > 0
}

/** Query for the row of a task. Parameters: kind, place, key. */
export const FIND_TASK = `
  SELECT state, input FROM work_tasks WHERE kind = ? AND place = ? AND task_key = ?`

/**
 * Query for the next waiting task that is due and can run at a place. Parameters: kind, place, time. A task that is
 * due when it is enqueued is due by any clock, even if the clock of its process is ahead.
 */
export const NEXT_TASK = `
  SELECT number, input, attempts FROM work_tasks
  WHERE kind = ? AND place IN ('', ?) AND state = 'waiting' AND (due_at <= ? OR due_at = enqueued_at)
  ORDER BY priority, number LIMIT 1`

const HOLD = `
  UPDATE work_tasks SET state = 'running', holder = ?, attempts = attempts + 1, progress = NULL
  WHERE number = ?`

/** Assigns the next due task of a kind to a worker (`holder`). Returns undefined if there is none. */
export async function takeTask(
  transaction: Transaction,
  { kind, place, now, holder }: Readonly<Record<'kind' | 'place' | 'now' | 'holder', string>>,
): Promise<HeldTask | undefined> {
  type Next = { number: number; input: string; attempts: number }
  const next = await transaction.get<Next>(NEXT_TASK, [kind, place, now])
  if (!next) return undefined
  await transaction.run(HOLD, [holder, next.number])
  const { number, attempts } = next
  return { number, holder, attempts: attempts + 1, input: JSON.parse(next.input) }
}

type Held = Pick<HeldTask, 'number' | 'holder'>

/** Records a heartbeat and the progress. Returns false if the worker no longer has the task. */
export async function beatTask(
  transaction: Transaction,
  { number, holder }: Held,
  progress: number | undefined,
): Promise<boolean> {
  const sql =
    'UPDATE work_tasks SET beats = beats + 1, progress = ? WHERE number = ? AND holder = ?'
  return (await transaction.run(sql, [progress ?? null, number, holder])).changes > 0
}

/** Removes a finished task. Returns false if it was taken from the worker meanwhile. */
export async function removeTask(
  transaction: Transaction,
  { number, holder }: Held,
): Promise<boolean> {
  const sql = 'DELETE FROM work_tasks WHERE number = ? AND holder = ?'
  return (await transaction.run(sql, [number, holder])).changes > 0
}

/** New state of a task that was not finished. */
export interface Outcome {
  readonly state: Exclude<TaskState, 'running'>
  /** Number of attempts to store. An attempt that ended because its process stopped is not counted. */
  readonly attempts: number
  /** Time before which the task does not run; null if it may run at once. */
  readonly dueAt: string | null
  readonly error: string | null
}

/** Releases a task that was not finished. Returns false if it was taken from the worker meanwhile. */
export async function releaseTask(
  transaction: Transaction,
  { number, holder }: Held,
  { state, attempts, dueAt, error }: Outcome,
): Promise<boolean> {
  const sql = `UPDATE work_tasks SET state = ?, attempts = ?, due_at = COALESCE(?, enqueued_at), error = ?,
      holder = NULL, progress = NULL
    WHERE number = ? AND holder = ?`
  const values = [state, attempts, dueAt, error, number, holder]
  return (await transaction.run(sql, values)).changes > 0
}

/** Query for all running tasks, of any process. */
export const RUNNING_TASKS = `
  SELECT number, holder, beats, attempts FROM work_tasks WHERE state = 'running'`

export function listTasks(rows: Rows, most: number): Promise<ListedTask[]> {
  const sql = `
    SELECT number, kind, state, attempts, enqueued_at AS "enqueuedAt", due_at AS "dueAt", progress, error
    FROM work_tasks ORDER BY kind, state, priority, number LIMIT ?`
  return rows.all<ListedTask>(sql, [most])
}

/** Query for a KindLoad of each kind that has tasks. */
export const KIND_LOADS = `
  SELECT kind,
    SUM(CASE WHEN state = 'waiting' THEN 1 ELSE 0 END) AS "waiting",
    SUM(CASE WHEN state = 'running' THEN 1 ELSE 0 END) AS "running",
    SUM(CASE WHEN state = 'failed' THEN 1 ELSE 0 END) AS "failed",
    MIN(CASE WHEN state <> 'failed' THEN enqueued_at END) AS "oldest"
  FROM work_tasks GROUP BY kind`

/** Makes all failed tasks of a kind run again. Returns their number. */
export async function retryTasks(transaction: Transaction, kind: string): Promise<number> {
  const sql = `UPDATE work_tasks SET state = 'waiting', attempts = 0, due_at = enqueued_at, error = NULL
    WHERE state = 'failed' AND kind = ?`
  return (await transaction.run(sql, [kind])).changes
}
