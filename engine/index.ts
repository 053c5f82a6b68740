// The whole engine. Each wing has a door of its own: commons, submission, registry and shared.

export { Engine, type EngineOptions, openEngine } from './engine.ts'

// Of what the wings share, what every program needs.

export { EngineError, type ErrorCode } from './shared/errors.ts'
export type { EngineEvent } from './shared/events.ts'
export { type Executor, inlineExecutor, type Job, type RunOptions } from './shared/executor.ts'
export type { Issue } from './shared/issue.ts'
