import { answerQuestions } from './serve.ts';
import { startService } from './start-service.ts';

// A child process: the service, in the pipeline that startEngine builds. Arguments: the file of the store, and
// settings.

const running = await startService();
answerQuestions(running.port, () => running.close());
