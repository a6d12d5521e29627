package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/app"
	"candor/worker"
)

// jobTokenEnv is the variable that holds the job's token.
const jobTokenEnv = "CANDOR_JOB_TOKEN"

// workerSettings are the flags of worker, and the job's token, which comes from the
// environment only.
type workerSettings struct {
	app.Settings
	logs     logSettings
	server   string // the URL of the server
	job      string // the id of the job
	jobToken string // authorizes the worker for this job only

	// followUps makes the worker wait for further prompts after the first turn, until a
	// prompt says that it is the last. Otherwise the job ends with its first turn.
	followUps bool

	// poll is the interval between requests for prompts and for the job's state; 2
	// seconds by default. A cancelled job runs on for up to this long.
	poll time.Duration

	// grace is how long the worker may post what is left after SIGTERM; 10 seconds by
	// default. What is not posted then is lost, and the next worker repeats that step.
	grace time.Duration

	spillDir string // the folder for events that do not fit in memory; "" means the system's
}

// workerCommand returns candor worker: the agent loop for one job of a server.
//
// It reads the job's token from CANDOR_JOB_TOKEN and the prompts from the server, and
// posts its events there. It writes one line to standard output when the job is done, and
// its log to standard error. Events that wait for an unreachable server go to a temporary
// file once they exceed the memory set aside for them; the file does
// not outlive the process.
//
// Exit status: 0 if the job is done and everything is posted; 1 if it failed or could not
// be started; 4 if the job is over for this worker, so that a supervisor must not restart
// it.
func workerCommand() *cli.Command {
	var s workerSettings
	return &cli.Command{
		Name:        "worker",
		Usage:       "work on a server's job and post the reasons",
		Description: helpText("worker"),
		Flags:       workerFlags(&s),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			s.jobToken = os.Getenv(jobTokenEnv)
			return work(ctx, s, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// workerFlags binds the flags of worker. There is no --approval-timeout: nobody can approve
// a call of a worker, so tools that ask are rejected.
func workerFlags(s *workerSettings) []cli.Flag {
	return slices.Concat(modelFlags(&s.Model), toolFlags(&s.Tools), safetyFlags(&s.Safety), []cli.Flag{
		&cli.StringFlag{Name: "server", Value: defaultServer, Usage: "work for the server at `URL`",
			Sources: cli.EnvVars("CANDOR_SERVER"), Destination: &s.server},
		&cli.StringFlag{Name: "job", Required: true, Usage: "work on the job `ID`",
			Sources: cli.EnvVars("CANDOR_JOB"), Destination: &s.job},
		&cli.BoolFlag{Name: "follow-ups", Usage: "wait for further prompts until one says that it is the last",
			Sources: cli.EnvVars("CANDOR_FOLLOW_UPS"), Destination: &s.followUps},
		&cli.DurationFlag{Name: "poll", Value: worker.DefaultPoll,
			Usage:   "check for prompts and for cancellation every `TIME`",
			Sources: cli.EnvVars("CANDOR_POLL"), Destination: &s.poll},
		&cli.StringFlag{Name: "spill-dir",
			Usage: "keep posts that wait for the server and do not fit in memory in `DIR`; " +
				"default: the system's temporary folder",
			Sources: cli.EnvVars("CANDOR_SPILL_DIR"), Destination: &s.spillDir},
		&cli.DurationFlag{Name: "shutdown-timeout", Value: worker.DefaultGrace,
			Usage:   "continue posting for `TIME` after SIGTERM",
			Sources: cli.EnvVars("CANDOR_SHUTDOWN_TIMEOUT"), Destination: &s.grace},
	}, logFlags(&s.logs))
}

// work works on one job until the job or ctx ends. Everything that can be wrong on this
// machine is checked before the server hears of the worker, so that a typing error does
// not take the job over from another worker.
func work(ctx context.Context, s workerSettings, stdout, stderr io.Writer) error {
	log, err := s.logs.logger(stderr)
	if err != nil {
		return err
	}
	if err := checkWorker(s); err != nil {
		return err
	}
	if s.jobToken == "" {
		return misused("CANDOR_JOB_TOKEN is not set: use the token that POST /api/jobs returned")
	}
	client, err := worker.NewClient(s.server, s.job, s.jobToken)
	if err != nil {
		return err
	}
	// A tool can read the environment, so the layer has to mask this token too.
	s.Safety.SecretEnv = append(s.Safety.SecretEnv, jobTokenEnv)
	layer, err := s.Layer()
	if err != nil {
		return err
	}
	s.Tools.AwaitMCP = true // the job may need their tools at once
	lead, closeAgent, err := app.NewAgent(s.Settings, layer, log)
	if err != nil {
		return err
	}
	defer closeAgent()
	r := &worker.Runtime{
		Client: client, Dispatcher: lead, Log: log,
		FollowUps: s.followUps, Poll: s.poll, Grace: s.grace, SpillDir: s.spillDir,
	}
	log.Info("working", "job", s.job)
	if err := r.Run(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "Job %s is done.\n", s.job)
	return nil
}
