/// The status of a machine of a cluster, with the figures that `flow cluster status` shows of it.
public struct WorkerStatus: Sendable, Equatable {
  /// A pipeline, or a task below a partition, that it has or is to have.
  public struct Task: Sendable, Equatable {
    public var name: String
    public var phase: String
    public var commits: Int
    public var stateBytes: Int?

    public init(name: String, phase: String, commits: Int, stateBytes: Int?) {
      (self.name, self.phase, self.commits, self.stateBytes) = (name, phase, commits, stateBytes)
    }
  }

  /// The name that no other process has.
  public var name: String
  public var tasks: [Task] = []
  public var takeovers = 0
  public var releases = 0
  public var isLeaving = false
  public var isFull = false

  public init(name: String) { self.name = name }

  /// The phases of tasks, each of which has a series, also with none.
  private static let phases = ["waiting", "running", "stopping", "ended", "failed"]

  var metrics: [Metric] {
    let own = [Metric.Label("worker", name)]
    var phases = Metric(
      "flow_cluster_tasks", .gauge, "Pipelines, and tasks below partitions, of this machine by phase.")
    for phase in Self.phases {
      phases.add(own + [.init("phase", phase)], tasks.count { $0.phase == phase })
    }
    var takeovers = Metric(
      "flow_cluster_takeovers_total", .counter, "Pipelines and tasks that this machine has taken over.")
    takeovers.add(own, self.takeovers)
    var releases = Metric(
      "flow_cluster_releases_total", .counter,
      "Pipelines and tasks that this machine has released, or lost to another.")
    releases.add(own, self.releases)
    var leaving = Metric("flow_cluster_leaving", .gauge, "Whether this machine leaves the cluster.")
    leaving.add(own, isLeaving ? 1 : 0)
    var full = Metric(
      "flow_cluster_disk_full", .gauge,
      "Whether the disk of this machine is full, and others have its pipelines.")
    full.add(own, isFull ? 1 : 0)
    var commits = Metric(
      "flow_cluster_commits_total", .counter, "Commits of the pipeline since its log began, on all machines.")
    var sizes = Metric("flow_cluster_state_bytes", .gauge, "The size of the state of the pipeline.")
    for task in tasks where task.phase != "waiting" || task.commits > 0 {
      let labels = [Metric.Label("pipeline", task.name)] + own
      commits.add(labels, task.commits)
      sizes.add(labels, task.stateBytes)
    }
    return [phases, takeovers, releases, leaving, full, commits, sizes]
  }
}
