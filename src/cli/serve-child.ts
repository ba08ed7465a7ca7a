import { answerForParent } from './answer-for-parent.ts';

// The program of a process that answers requests, which `serve --processes` starts.
answerForParent();
