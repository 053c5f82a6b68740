// Public interface of the engine. Each wing also has its own: commons, submission, registry and shared.

export { Engine, type EngineOptions, openEngine } from './engine.ts'

// The parts of engine/shared that every program needs.

export { EngineError, type ErrorCode } from './shared/errors.ts'
export type { EngineEvent } from './shared/events.ts'
export { type Executor, inlineExecutor, type Job, type RunOptions } from './shared/executor.ts'
export type { Issue } from './shared/issue.ts'
