/**
 * The public door of Spyhop: names only, from the experiment down to the tensor graph. Hosts (Node, browser) are reached
 * through `src/platform`, domains through `domains/*`.
 */

// An experiment: settings, the loop, and what it reports.
export { CONDITIONS, CONDITION_TABLE, type Condition, type ConditionName } from "./experiment/conditions.ts";
export { overrideConfig, parseConfig, PRESETS, type ExperimentConfig, type PresetName } from "./experiment/config.ts";
export { PRESET_TABLE, resolveConfig, type RunChoice } from "./experiment/presets.ts";
export { effectiveLimits } from "./experiment/rollouts.ts";
export { runExperiment } from "./experiment/run.ts";
export { EVOLVE, type ExperimentParts, type ProposerContext, type ProposerFactory } from "./experiment/context.ts";
export { chooseProposer, connectAgent, type ProposerServices } from "./experiment/proposers.ts";
export { HAND_AXIS, submitHandWritten, withHandWritten, type HandWritten } from "./experiment/hand-written.ts";
export {
  parseTraceHeader,
  parseTraces,
  TRACES_FOLDER,
  type TraceFile,
  type TraceHeader,
} from "./experiment/kept-traces.ts";
export { plannedRollouts, planSchedule, splitSizes } from "./experiment/plan.ts";
export type { AdapterState, Policy, PolicyDescription } from "./experiment/policy.ts";
export { openPolicy, type OpenedPolicy, type OpenPolicyOptions } from "./experiment/model-policy.ts";
export type { ProgressEvent, ProgressSink, RunEvent } from "./experiment/events.ts";
export { summarize, type Accuracy, type CurvePoint, type RunSummary } from "./experiment/summary.ts";
export type { Ledger } from "./experiment/ledger.ts";
export { nextPhase, planPhases, stepsOfEpochs, type Phase, type ScheduleConfig } from "./experiment/schedule.ts";
export { observeReward, FRESH_WEIGHT_PATIENCE, type WeightPatienceConfig } from "./experiment/weight-patience.ts";

// Its parts: rejection-sampling fine-tuning, harness search, evaluation.
export { rsftStep, type RsftMetrics, type RsftStep, type RsftStepConfig, type RsftStepParts } from "./rsft/step.ts";
export { selectAccepted } from "./rsft/select.ts";
export { toExamples } from "./rsft/to-examples.ts";
export { createSearch, type Search, type SearchOptions, type SearchSnapshot } from "./search/scheduler.ts";
export type { Candidate, Evaluation, Proposal, Proposer, SearchView } from "./search/candidate.ts";
export { createEvolveProposer } from "./search/proposers/evolve.ts";
export { createRandomProposer } from "./search/proposers/random.ts";
export { createModelProposer, type ModelProposerOptions } from "./search/proposers/model.ts";
export { createAgentProposer, type AgentOptions } from "./search/proposers/agent/agent.ts";
export type { Connection, ConnectionHost } from "./search/proposers/agent/connection.ts";
export { exportFolder } from "./search/folder.ts";
export { isPromptOnlyEdit } from "./search/syntax/compare.ts";
export { evaluate, type EvaluationResult, type TaskScores } from "./evaluation/evaluate.ts";
export { compareScores, type ScoreComparison } from "./evaluation/compare.ts";

// Rollouts: the contract of a domain, the record of a rollout, the isolate that harnesses run in.
export { SPLITS } from "./rollout/domain.ts";
export type { Domain, Episode, EpisodeEnd, RolloutLimits, Split, Task, TaskSet, Verdict } from "./rollout/domain.ts";
export { ROLLOUT_OUTCOMES, TRACE_VERSION, type RolloutTrace, type TraceStep } from "./rollout/trace.ts";
export { runRollout, type RolloutRequest } from "./rollout/episode.ts";
export { runRollouts, type PoolOptions } from "./rollout/pool.ts";
export { checkHarness, HARNESS_CHECKS, type HarnessCheck, type HarnessJudgement } from "./rollout/check.ts";
export { parseHarness, type Harness } from "./rollout/harness.ts";
export { redactTrace } from "./rollout/redact.ts";
export { createSandbox } from "./sandbox/quickjs-sandbox.ts";
export { GUEST_FAULTS, type GuestOutcome, type GuestProgram, type Sandbox } from "./sandbox/isolate.ts";

// Models: tokens, checkpoints, adapters, generation, training.
export type { ChatCodec, ChatMessage } from "./text/chat.ts";
export { createChatCodec } from "./text/chat-codec.ts";
export { createTokenizer } from "./text/tokenizer.ts";
export { openCheckpoint } from "./weights/checkpoint.ts";
export { formatSafetensors, parseSafetensors } from "./weights/safetensors.ts";
export { FAMILIES, type DecoderConfig } from "./model/decoder-config.ts";
export { loadAdapter, loadDecoder, type Decoder } from "./model/load.ts";
export { initAdapter, mergeAdapter } from "./model/lora.ts";
export { createEngine } from "./generation/engine.ts";
export type { Engine, EngineOptions } from "./generation/engine-port.ts";
export {
  PAPER_SAMPLING,
  type Completer,
  type Completion,
  type CompletionRequest,
  type SamplingConfig,
} from "./generation/completer.ts";
export type { Example, OptimizerConfig, StepMetrics, Trainer } from "./training/example.ts";
export { createTrainer } from "./training/trainer.ts";
export { DEVICES, type DeviceName, type Runtime, type Session } from "./runtime/session.ts";

// A run read back: records, pages, charts.
export { readRunRecord, readScores, type ScoredSplit } from "./report/read-run.ts";
export type { CandidateRow, PhaseSpan, RunRecord, StepPoint, TranscriptPair } from "./report/run-record.ts";
export { concludeRun, renderReport } from "./report/page.ts";
export { drawAccuracy, drawAccuracyLegend } from "./report/accuracy-chart.ts";
export { drawStepCharts } from "./report/step-charts.ts";
export { drawCandidates } from "./report/candidates.ts";
export { diffTexts, drawHarness, type DiffLine } from "./report/harness-diff.ts";
export { drawTranscripts } from "./report/transcripts.ts";
export { drawGrid } from "./report/grid-chart.ts";
export { compareRuns, readComparedRun, type ComparedRun, type Comparison } from "./report/comparison.ts";
export { renderComparison } from "./report/comparison-page.ts";
export { drawConditions } from "./report/conditions-chart.ts";
export { findTraces, listTraces, readTraces, type FoundTrace, type TraceListing } from "./report/read-traces.ts";
export { toConversations, type Conversation } from "./report/conversations.ts";
export { checkData, type DataCheck, type DataCheckOptions } from "./evaluation/data-check.ts";
export { escapeHtml, html, type Html } from "./report/html.ts";
export { REPORT_STYLE } from "./report/style.ts";

// Run folders and statistics.
export type { BlobStore } from "./store/blob-store.ts";
export { createMemoryStore } from "./store/memory-store.ts";
export { createRun, openRun, type RunStore } from "./store/run-store.ts";
export { readRun, type RunView } from "./store/run-view.ts";
export { bootstrapMean, type MeanInterval } from "./stats/bootstrap.ts";
export { comparePaired, type PairedComparison } from "./stats/paired.ts";
export { passAtK } from "./stats/pass-at-k.ts";
export { areaUnderCurve } from "./stats/area-under-curve.ts";

// Base.
export { createRng, type Rng } from "./base/rng.ts";
export { hashContent, hashJson } from "./base/hash.ts";
export { canonicalJson, type JsonObject, type JsonValue } from "./base/json.ts";
export { STILL_CLOCK, type Clock } from "./base/clock.ts";
export {
  ConfigError,
  describeError,
  DeviceError,
  GraphError,
  HarnessError,
  LabError,
  ProposerError,
  SandboxError,
  StoreError,
  TaskError,
  WeightsError,
} from "./base/errors.ts";
